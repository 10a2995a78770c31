/* undertrace sched: how long tasks ran, and how long they waited. */
#include <stdio.h>

#include "decode/cli/arguments.h"
#include "decode/cli/commands.h"
#include "decode/cli/options/measure_options.h"
#include "decode/cli/text/error_text.h"
#include "decode/cli/text/pager.h"
#include "decode/cli/text/rows_text.h"
#include "decode/measure/sched.h"
#include "decode/report/json.h"

static const char usage[] =
    "usage: undertrace sched CAPTURE [options]\n"
    "\n"
    "Prints for each task of Linux how long it ran from one switch to the next, and how long it waited: for\n"
    "a CPU only, where it was preempted or switched away from on its way to user mode; or, after it had called\n"
    "schedule(), also for what it waited for. The trace does not show when a task was woken, so that these\n"
    "waits cannot be divided.\n"
    "\n"
    "Tasks are distinguished by their call stacks; after a gap, each is a new one.\n"
    "\n"
    "  --lines N           print at most N rows of a table (default: 40)\n" MEASURE_WINDOW_USAGE MEASURE_CPU_USAGE
        MEASURE_USAGE "\n"
    "Exit status: 0 all is known; 1 an error; 2 parts of the trace are missing.\n";

static const char *label(char text[FUNCTION_TEXT_SIZE], const struct measure_row *row)
{
    snprintf(text, FUNCTION_TEXT_SIZE, "%s", row->label);
    return text;
}

static void fields(const struct measure_row *row)
{
    json_string(stdout, "task", row->label, ", ");
    printf("\"number\": %s, ", row->text);
}

static const struct {
    const char *title, *member;
    enum sched_measured which;
} tables[] = {{"Runs", "runs", SCHED_RUN},
              {"Waits for a CPU", "runnable", SCHED_RUNNABLE},
              {"Waits after schedule()", "blocked", SCHED_BLOCKED}};

static void print(struct sched *sched, const struct measure_options *options)
{
    if (options->json) {
        putchar('{');
        measure_json(&sched->measure);
    } else {
        pager_start();
    }
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
        const struct rows_table table = {&sched->measure, &sched->rows, tables[i].which, tables[i].which != SCHED_RUN,
                                         options->lines,  label};
        measure_rows_sort(&sched->rows, tables[i].which, tables[i].which != SCHED_RUN);
        if (options->json) {
            fputs(i ? ",\n" : "", stdout);
            rows_json(&table, tables[i].member, fields);
            continue;
        }
        rows_print(&table, tables[i].title);
        if (tables[i].which == SCHED_RUNNABLE)
            rows_print_slowest(&table);
        putchar('\n');
    }
    if (options->json)
        puts("}");
    else
        measure_print_precision(&sched->measure);
}

int command_sched(int argc, char **argv)
{
    static struct measure_options o = MEASURE_DEFAULTS;
    const struct argument options[] = {MEASURE_ARGUMENTS(&o),
                                       {"lines", ARGUMENT_NUMBER, &o.lines, UINT32_MAX},
                                       {"time", ARGUMENT_TEXT, &o.common.time, 0}};
    const struct syntax syntax = {"sched", usage, options, sizeof(options) / sizeof(options[0]), 1, 0};
    int status = arguments_parse(&syntax, argc, argv, &o.common.capture);
    struct calls_run run;
    struct error error = {0};
    static struct sched sched;
    if (status != ARGUMENTS_GOOD)
        return status;
    status = 1;
    if (measure_begin(&sched.measure, &run, "sched", &o)) {
        if (sched_collect(&sched, &run, &error)) {
            print(&sched, &o);
            status = export_missing(&run);
        } else {
            error_print(&error);
        }
    }
    sched_free(&sched);
    export_close(&run);
    return status;
}
