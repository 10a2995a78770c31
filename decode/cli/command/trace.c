/* undertrace trace: functions, branches or instructions, in order. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/cli/commands.h"
#include "decode/cli/message.h"
#include "decode/cli/output.h"
#include "decode/cli/text/error_text.h"
#include "decode/cli/text/pager.h"
#include "decode/cli/text/unknown_name.h"
#include "decode/cli/trace/trace_cpu.h"
#include "decode/cli/trace/trace_machine.h"

/* Find the addresses of the functions that an option names. false: a message says that none was executed, or why it
 * failed. */
static bool find_functions(const struct trace_list *list, struct wanted_functions *functions, const char *option,
                           struct occurrence *occurrence, struct listing_ranges *ranges)
{
    char before[32];
    snprintf(before, sizeof(before), "trace: --%s", option);
    functions->pattern = shown_name_print(list->indexed->names, before, functions->pattern);
    ranges->items = wanted_ranges(functions, list->indexed, occurrence, &ranges->count);
    if (ranges->items && ranges->count > 0)
        return true;
    if (!ranges->items)
        message_print("%s %s: out of memory", before, functions->pattern);
    else if (unknown_name_print(list->indexed->names, before, functions->pattern) == SYMBOL_KNOWN)
        message_print("%s %s: never executed", before, functions->pattern);
    return false;
}

/* false: a message says that the process did not run. */
static bool find_process(struct trace_list *list)
{
    const struct trace_options *o = list->options;
    if (!o->process)
        return true;
    if (!wanted_spaces_find(&list->spaces, list->indexed, o->cr3, o->process, true))
        message_print("trace: --process %s: out of memory", o->process);
    else if (list->spaces.count == 0)
        message_print("trace: --process %s: no such process executed anything; undertrace report lists the processes",
                      o->process);
    else
        return true;
    return false;
}

/* Nothing is listed before the first execution of --from or --function. */
static bool find_wanted(struct trace_list *list)
{
    struct occurrence occurrence;
    if (list->from.pattern) {
        if (!find_functions(list, &list->from, "from", &occurrence, &list->from_ranges))
            return false;
        list->from_stretch[index_chunk_of(&list->indexed->index, occurrence.first.stretch)->cpu] =
            occurrence.first.stretch;
    }
    if (list->to.pattern && !find_functions(list, &list->to, "to", &occurrence, &list->to_ranges))
        return false;
    if (list->function.pattern) {
        if (!find_functions(list, &list->function, "function", &occurrence, &list->function_ranges))
            return false;
        list->function_tsc = occurrence.first.tsc;
    }
    return find_process(list);
}

static void free_wanted(struct trace_list *list)
{
    source_lines_close(list->sources);
    wanted_spaces_free(&list->spaces);
    wanted_functions_free(&list->function);
    wanted_functions_free(&list->from);
    wanted_functions_free(&list->to);
    free(list->function_ranges.items);
    free(list->from_ranges.items);
    free(list->to_ranges.items);
}

/* List the selected CPU, or all of them in the order of time. */
static int list_cpus(struct trace_list *list)
{
    struct error error = {0};
    const bool one = list->options->cpu != ARGUMENT_NOT_GIVEN || list->indexed->capture->nr_cpus == 1;
    list->cpu = list->options->cpu != ARGUMENT_NOT_GIVEN ? (uint16_t)list->options->cpu : 0;
    if (one ? trace_cpu(list, &error) : trace_machine(list, &error))
        return query_print_missing(list->indexed);
    error_print(&error);
    return 1;
}

static bool check_cpu(const struct indexed_capture *indexed, uint64_t cpu)
{
    struct error error = {0};
    if (cpu == ARGUMENT_NOT_GIVEN || capture_trace(indexed->capture, cpu, &error))
        return true;
    error_print(&error);
    return false;
}

int command_trace(int argc, char **argv)
{
    static struct trace_options o;
    static struct indexed_capture indexed;
    int status = trace_options_parse(&o, argc, argv);
    if (status != ARGUMENTS_GOOD)
        return status;
    if (!query_open(&indexed, o.capture, &o.query))
        return 1;
    static struct trace_list list;
    list = (struct trace_list){
        .options = &o, .indexed = &indexed, .function.pattern = o.function, .from.pattern = o.from, .to.pattern = o.to};
    const char *output = o.output ? o.output : "-";
    status = 1;
    if (o.srcline && !(list.sources = source_lines_open(indexed.names)))
        message_print("trace: out of memory for source lines");
    else if (check_cpu(&indexed, o.cpu) && trace_options_time(&o, &indexed, &list.from_tsc, &list.to_tsc) &&
             find_wanted(&list) && (list.file = output_open(output, o.capture))) {
        if (list.file == stdout)
            pager_start();
        status = list_cpus(&list);
        if (!output_close(list.file, output))
            status = 1;
    }
    free_wanted(&list);
    indexed_capture_close(&indexed);
    return status;
}
