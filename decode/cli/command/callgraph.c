/* undertrace callgraph: the callers and callees of a function. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "decode/cli/arguments.h"
#include "decode/cli/commands.h"
#include "decode/cli/message.h"
#include "decode/cli/options/function_words.h"
#include "decode/cli/options/measure_options.h"
#include "decode/cli/options/process_word.h"
#include "decode/cli/text/error_text.h"
#include "decode/cli/text/measure_text.h"
#include "decode/cli/text/pager.h"
#include "decode/profile/neighbours.h"
#include "decode/report/json.h"
#include "decode/report/number_text.h"

static const char usage[] =
    "usage: undertrace callgraph CAPTURE FUNCTION... [options]\n"
    "\n"
    "Prints who called each FUNCTION (a name, or a pattern like 'vfs_*') and what it called: how often, with\n"
    "the branches and the time of these calls and of everything below them.\n"
    "\n"
    "  --lines N           print at most N callers and N callees (default: 40)\n" WINDOW_USAGE MEASURE_CPU_USAGE
        PROCESS_USAGE MEASURE_USAGE "\n"
    "Exit status: 0 all is known; 1 an error; 2 the function was never called, or parts of the trace are\n"
    "missing.\n";

#define MOST_WORDS 64u

struct arguments {
    struct measure_options options;
    const char *words[MOST_WORDS + 2]; /* the capture, and patterns up to NULL */
};

static void print_line(const struct measure *measure, const char *label, uint64_t calls, uint64_t branches,
                       uint64_t ticks)
{
    char number[COUNT_TEXT_SIZE], count[COUNT_TEXT_SIZE], span[SPAN_TEXT_SIZE];
    printf("  %-46.46s %13s %17s %9s\n", label, count_text(number, calls), count_text(count, branches),
           ticks_text(span, measure, ticks));
}

static void print_neighbours(const struct measure *measure, const char *title, const struct profile_neighbour *items,
                             size_t count, uint64_t most)
{
    if (count > 0)
        printf("  %s\n", title);
    for (size_t i = 0; i < count && i < most; i++) {
        char name[FUNCTION_TEXT_SIZE], label[FUNCTION_TEXT_SIZE + 4];
        snprintf(label, sizeof(label), "  %s",
                 items[i].name ? function_text(name, items[i].name) : "(the caller is not known)");
        print_line(measure, label, items[i].calls, items[i].branches, items[i].ticks);
    }
    if (count > most)
        printf("    and %zu more\n", count - (size_t)most);
}

static void print_function(const struct measure *measure, const struct profile_function *function,
                           const struct profile_neighbours *n, uint64_t most)
{
    char name[FUNCTION_TEXT_SIZE];
    printf("%-48.48s %13s %17s %9s\n", function_text(name, function->name), "calls", "branches", "on a CPU");
    print_line(measure, "in all", function->calls, function->total_branches, function->total_ticks);
    print_line(measure, "its own", function->calls, function->branches, function->ticks);
    print_neighbours(measure, "called by", n->callers, n->nr_callers, most);
    print_neighbours(measure, "calls", n->callees, n->nr_callees, most);
}

static void neighbours_json(const struct measure *measure, const char *name, const struct profile_neighbour *items,
                            size_t count)
{
    printf(", \"%s\": [", name);
    for (size_t i = 0; i < count; i++) {
        fputs(i ? ",\n    {" : "\n    {", stdout);
        if (items[i].name)
            function_json(items[i].name);
        else
            fputs("\"symbol\": null, \"object\": null, \"address\": null, ", stdout);
        json_figure(stdout, "calls", figure_of(items[i].calls), ", ");
        json_figure(stdout, "branches", figure_of(items[i].branches), ", ");
        json_figure(stdout, "on_cpu", figure_of(measure_length(measure, items[i].ticks)), ", ");
        json_figure(stdout, "on_cpu_ticks", figure_of(items[i].ticks), "}");
    }
    putchar(']');
}

static void function_whole_json(const struct measure *measure, const struct profile_function *function,
                                const struct profile_neighbours *n)
{
    function_json(function->name);
    json_figure(stdout, "calls", figure_of(function->calls), ", ");
    json_figure(stdout, "branches", figure_of(function->branches), ", ");
    json_figure(stdout, "total_branches", figure_of(function->total_branches), ", ");
    json_figure(stdout, "own_ticks", figure_of(function->ticks), ", ");
    json_figure(stdout, "on_cpu", figure_of(measure_length(measure, function->total_ticks)), ", ");
    json_figure(stdout, "on_cpu_ticks", figure_of(function->total_ticks), "");
    neighbours_json(measure, "callers", n->callers, n->nr_callers);
    neighbours_json(measure, "callees", n->callees, n->nr_callees);
}

/* Returns how many functions were printed; SIZE_MAX: no memory. */
static size_t print_functions(const struct measure *measure, const struct profile *profile, const struct arguments *a)
{
    size_t count, found = 0;
    struct profile_function *functions = profile_functions(profile, 0, &count);
    struct call_pairs pairs;
    bool good = call_pairs_make(&pairs, profile) && functions;
    for (size_t i = 0; i < count && good; i++) {
        struct profile_neighbours neighbours;
        if (!function_words_match(a->words + 1, functions[i].name))
            continue;
        const char *before = a->options.json ? ",\n  {" : "\n";
        good = profile_neighbours_find(&neighbours, &pairs, functions[i].name);
        fputs(found ? before : a->options.json ? "\n  {" : "", stdout);
        if (a->options.json) {
            function_whole_json(measure, &functions[i], &neighbours);
            putchar('}');
        } else {
            print_function(measure, &functions[i], &neighbours, a->options.lines);
        }
        profile_neighbours_free(&neighbours);
        found++;
    }
    call_pairs_free(&pairs);
    free(functions);
    return good ? found : SIZE_MAX;
}

static int show(const struct measure *measure, struct calls_run *run, struct profile *profile,
                const struct arguments *a)
{
    struct error error = {0};
    if (!profile_init(profile, run->names) || !profile_collect(run, profile, &error)) {
        if (error.kind)
            error_print(&error);
        else
            message_print("callgraph: out of memory for the call tree");
        return 1;
    }
    if (a->options.json) {
        putchar('{');
        measure_json(measure);
        fputs("\"functions\": [", stdout);
    } else {
        pager_start();
    }
    const size_t found = print_functions(measure, profile, a);
    if (a->options.json)
        puts("]}");
    else
        measure_print_precision(measure);
    if (found == 0)
        function_words_print_never(a->words + 1, "callgraph", a->options.common.time);
    if (found == SIZE_MAX)
        message_print("callgraph: out of memory for the callers");
    const int status = export_missing(run);
    return found == SIZE_MAX ? 1 : status == 0 && found == 0 ? 2 : status;
}

int command_callgraph(int argc, char **argv)
{
    static struct arguments a = {.options = MEASURE_DEFAULTS};
    struct export_options *common = &a.options.common;
    const struct argument options[] = {MEASURE_ARGUMENTS(&a.options),
                                       {"lines", ARGUMENT_NUMBER, &a.options.lines, UINT32_MAX},
                                       {"time", ARGUMENT_TEXT, &common->time, 0},
                                       {"process", ARGUMENT_TEXT, &common->process, 0}};
    const struct syntax syntax = {"callgraph", usage, options, sizeof(options) / sizeof(options[0]), 2, 0};
    int status = arguments_parse_list(&syntax, argc, argv, a.words, MOST_WORDS + 1);
    struct calls_run run;
    struct measure measure;
    struct profile profile = {0};
    if (status != ARGUMENTS_GOOD)
        return status;
    common->capture = a.words[0];
    status = 1;
    if (measure_begin(&measure, &run, "callgraph", &a.options) &&
        function_words_check(a.words + 1, run.names, "callgraph"))
        status = show(&measure, &run, &profile, &a);
    profile_free(&profile);
    export_close(&run);
    return status;
}
