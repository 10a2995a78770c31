/* undertrace irqs: how long interrupts and exceptions took. */
#include <stdio.h>

#include "decode/cli/arguments.h"
#include "decode/cli/commands.h"
#include "decode/cli/options/measure_options.h"
#include "decode/cli/text/error_text.h"
#include "decode/cli/text/pager.h"
#include "decode/cli/text/rows_text.h"
#include "decode/measure/irqs.h"
#include "decode/report/json.h"

static const char usage[] =
    "usage: undertrace irqs CAPTURE [options]\n"
    "\n"
    "Prints how long interrupts and exceptions took, from the entry of their handler to its return: by the\n"
    "function that they enter and, where that pushes it, the vector; with the function that handles it.\n"
    "For hardware interrupts of Linux also how long interrupts were off: from the entry until the return,\n"
    "softirqs, or the next interrupt.\n"
    "\n"
    "The trace cannot show more of that: it has neither vectors nor RFLAGS.IF, so what CLI, STI and POPF do\n"
    "elsewhere is not known.\n"
    "\n"
    "  --lines N           print at most N rows of a table (default: 40)\n" MEASURE_WINDOW_USAGE MEASURE_CPU_USAGE
        MEASURE_USAGE "\n"
    "Exit status: 0 all is known; 1 an error; 2 parts of the trace are missing.\n";

static const char *label(char text[FUNCTION_TEXT_SIZE], const struct measure_row *row)
{
    char function[FUNCTION_TEXT_SIZE];
    /* Entries that push their vectors are all of one name. */
    function_text(function, row->text[0] && row->other ? row->other : row->name);
    snprintf(text, FUNCTION_TEXT_SIZE, "%s%s%.120s", row->text, row->text[0] ? " " : "", function);
    return text;
}

static void fields(const struct measure_row *row)
{
    json_string(stdout, "vector", row->text[0] ? row->text : NULL, ", ");
    function_json(row->name);
    json_string(stdout, "handler", row->other ? row->other->shown : NULL, ", ");
}

static void print(struct irqs *irqs, const struct measure_options *options)
{
    struct rows_table table = {&irqs->measure, &irqs->rows, IRQS_ALL, false, options->lines, label};
    measure_rows_sort(&irqs->rows, IRQS_ALL, false);
    if (options->json) {
        putchar('{');
        measure_json(&irqs->measure);
        rows_json(&table, "interrupts", fields);
        table.which = IRQS_OFF;
        fputs(",\n", stdout);
        rows_json(&table, "interrupts_off", fields);
        puts("}");
        return;
    }
    pager_start();
    rows_print(&table, "Interrupts and exceptions");
    table.which = IRQS_OFF;
    putchar('\n');
    rows_print(&table, "Interrupts off in handlers");
    rows_print_slowest(&table);
    measure_print_precision(&irqs->measure);
}

int command_irqs(int argc, char **argv)
{
    static struct measure_options o = MEASURE_DEFAULTS;
    const struct argument options[] = {MEASURE_ARGUMENTS(&o),
                                       {"lines", ARGUMENT_NUMBER, &o.lines, UINT32_MAX},
                                       {"time", ARGUMENT_TEXT, &o.common.time, 0}};
    const struct syntax syntax = {"irqs", usage, options, sizeof(options) / sizeof(options[0]), 1, 0};
    int status = arguments_parse(&syntax, argc, argv, &o.common.capture);
    struct calls_run run;
    struct error error = {0};
    static struct irqs irqs;
    if (status != ARGUMENTS_GOOD)
        return status;
    status = 1;
    if (measure_begin(&irqs.measure, &run, "irqs", &o)) {
        if (irqs_collect(&irqs, &run, &error)) {
            print(&irqs, &o);
            status = export_missing(&run);
        } else {
            error_print(&error);
        }
    }
    irqs_free(&irqs);
    export_close(&run);
    return status;
}
