/* undertrace latency: how long the calls of a function took. */
#include <stdio.h>

#include "decode/cli/arguments.h"
#include "decode/cli/commands.h"
#include "decode/cli/message.h"
#include "decode/cli/options/function_words.h"
#include "decode/cli/options/measure_options.h"
#include "decode/cli/options/process_word.h"
#include "decode/cli/text/error_text.h"
#include "decode/cli/text/measure_text.h"
#include "decode/cli/text/pager.h"
#include "decode/measure/latency.h"
#include "decode/report/number_text.h"

static const char usage[] =
    "usage: undertrace latency CAPTURE FUNCTION... [options]\n"
    "\n"
    "Prints how long the calls of each FUNCTION (a name, or a pattern like 'vfs_*') took: their number,\n"
    "percentiles, a histogram, and the slowest ten with their times.\n"
    "\n"
    "The elapsed time runs from the call to the return, and includes time in which the task did not run.\n"
    "The time on a CPU does not; it is the total time in undertrace report. A percentile is at most 0.8 %\n"
    "too high.\n"
    "\n" MEASURE_WINDOW_USAGE MEASURE_CPU_USAGE PROCESS_USAGE MEASURE_USAGE "\n"
    "Exit status: 0 all is known; 1 an error; 2 no call was found, or parts of the trace are missing.\n";

#define MOST_WORDS 64u

struct arguments {
    struct measure_options options;
    const char *words[MOST_WORDS + 2]; /* the capture, and patterns up to NULL */
};

static bool matches(void *context, const struct name *name)
{
    const struct arguments *a = context;
    return function_words_match(a->words + 1, name);
}

static void print_function(const struct measure *measure, const struct latency_function *function)
{
    const struct measured *measured = &function->measured;
    char name[FUNCTION_TEXT_SIZE], count[COUNTED_TEXT_SIZE];
    printf("%s: %s", function_text(name, function->name), counted_text(count, measured->begun, "call", "calls"));
    if (measured->unfinished)
        printf(", %s not seen to return", count_text(count, measured->unfinished));
    putchar('\n');
    measured_print_sums(measure, measured);
    measured_print_histogram(measure, measured);
    measured_print_slowest(measure, measured);
}

static void print_text(const struct latency *latency)
{
    pager_start();
    for (size_t i = 0; i < latency->count; i++) {
        if (i > 0)
            putchar('\n');
        print_function(&latency->measure, &latency->functions[i]);
    }
    measure_print_precision(&latency->measure);
}

static void print_json(const struct latency *latency)
{
    putchar('{');
    measure_json(&latency->measure);
    fputs("\"functions\": [", stdout);
    for (size_t i = 0; i < latency->count; i++) {
        fputs(i ? ",\n  {" : "\n  {", stdout);
        function_json(latency->functions[i].name);
        measured_json(&latency->measure, &latency->functions[i].measured);
        putchar('}');
    }
    puts("]}");
}

static int measure_calls(struct latency *latency, struct calls_run *run, const struct arguments *a)
{
    struct error error = {0};
    if (!latency_collect(latency, run, &error)) {
        error_print(&error);
        return 1;
    }
    (a->options.json ? print_json : print_text)(latency);
    if (latency->count == 0)
        function_words_print_never(a->words + 1, "latency", a->options.common.time);
    const int status = export_missing(run);
    return status == 0 && latency->count == 0 ? 2 : status;
}

int command_latency(int argc, char **argv)
{
    static struct arguments a = {.options = MEASURE_DEFAULTS};
    struct export_options *common = &a.options.common;
    const struct argument options[] = {MEASURE_ARGUMENTS(&a.options),
                                       {"time", ARGUMENT_TEXT, &common->time, 0},
                                       {"process", ARGUMENT_TEXT, &common->process, 0}};
    const struct syntax syntax = {"latency", usage, options, sizeof(options) / sizeof(options[0]), 2, 0};
    int status = arguments_parse_list(&syntax, argc, argv, a.words, MOST_WORDS + 1);
    struct calls_run run;
    if (status != ARGUMENTS_GOOD)
        return status;
    common->capture = a.words[0];
    struct latency latency = {.matches = matches, .context = &a};
    status = 1;
    if (measure_begin(&latency.measure, &run, "latency", &a.options) &&
        function_words_check(a.words + 1, run.names, "latency"))
        status = measure_calls(&latency, &run, &a);
    latency_free(&latency);
    export_close(&run);
    return status;
}
