/* undertrace syscalls: how long system calls took, by process and by call. */
#include <stdio.h>
#include <string.h>

#include "decode/cli/arguments.h"
#include "decode/cli/commands.h"
#include "decode/cli/message.h"
#include "decode/cli/options/measure_options.h"
#include "decode/cli/options/process_word.h"
#include "decode/cli/text/error_text.h"
#include "decode/cli/text/pager.h"
#include "decode/cli/text/rows_text.h"
#include "decode/measure/syscalls.h"
#include "decode/report/json.h"

static const char usage[] =
    "usage: undertrace syscalls CAPTURE [options]\n"
    "\n"
    "Prints how long system calls took, by call and by process. Of Linux, a call is the function of the\n"
    "kernel that makes it (__x64_sys_read); of other systems, what SYSCALL, SYSENTER or INT n enters, until\n"
    "that returns. The elapsed time includes waits. The trace has neither arguments nor results.\n"
    "\n"
    "  --by-process        also print the calls of each process\n"
    "  --lines N           print at most N rows of a table (default: 40)\n" MEASURE_WINDOW_USAGE MEASURE_CPU_USAGE
        PROCESS_USAGE MEASURE_USAGE "\n"
    "Exit status: 0 all is known; 1 an error; 2 parts of the trace are missing.\n";

struct arguments {
    struct measure_options options;
    bool by_process;
};

static const char *call_label(char text[FUNCTION_TEXT_SIZE], const struct measure_row *row)
{
    static const char *const prefixes[] = {"__x64_sys_", "__ia32_sys_"};
    function_text(text, row->name);
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
        const size_t length = strlen(prefixes[i]);
        if (!strncmp(text, prefixes[i], length))
            memmove(text, text + length, strlen(text + length) + 1);
    }
    return text;
}

static const char *process_label(char text[FUNCTION_TEXT_SIZE], const struct measure_row *row)
{
    snprintf(text, FUNCTION_TEXT_SIZE, "%s", row->text);
    return text;
}

static const char *pair_label(char text[FUNCTION_TEXT_SIZE], const struct measure_row *row)
{
    char call[FUNCTION_TEXT_SIZE];
    snprintf(text, FUNCTION_TEXT_SIZE, "%s: %.100s", row->text, call_label(call, row));
    return text;
}

static void call_fields(const struct measure_row *row)
{
    function_json(row->name);
}

static void process_fields(const struct measure_row *row)
{
    json_string(stdout, "process", row->text, ", ");
}

static void pair_fields(const struct measure_row *row)
{
    process_fields(row);
    function_json(row->name);
}

static void print(struct syscalls *syscalls, const struct arguments *a)
{
    const struct measure *measure = &syscalls->measure;
    const struct rows_table calls = {measure, &syscalls->calls, 0, false, a->options.lines, call_label},
                            processes = {measure, &syscalls->processes, 0, false, a->options.lines, process_label},
                            pairs = {measure, &syscalls->pairs, 0, false, a->options.lines, pair_label};
    measure_rows_sort(&syscalls->calls, 0, false);
    measure_rows_sort(&syscalls->processes, 0, false);
    measure_rows_sort(&syscalls->pairs, 0, false);
    if (a->options.json) {
        putchar('{');
        measure_json(measure);
        rows_json(&calls, "calls", call_fields);
        fputs(",\n", stdout);
        rows_json(&processes, "processes", process_fields);
        fputs(",\n", stdout);
        rows_json(&pairs, "by_process", pair_fields);
        puts("}");
        return;
    }
    pager_start();
    rows_print(&calls, "System calls");
    putchar('\n');
    rows_print(&processes, "Processes");
    if (a->by_process) {
        putchar('\n');
        rows_print(&pairs, "System calls of each process");
    }
    rows_print_slowest(&calls);
    measure_print_precision(measure);
}

int command_syscalls(int argc, char **argv)
{
    static struct arguments a = {.options = MEASURE_DEFAULTS};
    struct export_options *common = &a.options.common;
    const struct argument options[] = {MEASURE_ARGUMENTS(&a.options),
                                       {"lines", ARGUMENT_NUMBER, &a.options.lines, UINT32_MAX},
                                       {"by-process", ARGUMENT_FLAG, &a.by_process, 0},
                                       {"time", ARGUMENT_TEXT, &common->time, 0},
                                       {"process", ARGUMENT_TEXT, &common->process, 0}};
    const struct syntax syntax = {"syscalls", usage, options, sizeof(options) / sizeof(options[0]), 1, 0};
    int status = arguments_parse(&syntax, argc, argv, &common->capture);
    struct calls_run run;
    struct error error = {0};
    static struct syscalls syscalls;
    if (status != ARGUMENTS_GOOD)
        return status;
    status = 1;
    if (measure_begin(&syscalls.measure, &run, "syscalls", &a.options)) {
        if (syscalls_collect(&syscalls, &run, &error)) {
            print(&syscalls, &a);
            status = export_missing(&run);
        } else {
            error_print(&error);
        }
    }
    syscalls_free(&syscalls);
    export_close(&run);
    return status;
}
