/* undertrace trace: functions, branches or instructions, in order. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/cli/commands.h"
#include "decode/cli/error_text.h"
#include "decode/cli/message.h"
#include "decode/cli/output.h"
#include "decode/cli/pager.h"
#include "decode/cli/trace_cpu.h"
#include "decode/cli/trace_merge.h"

/* The addresses of --function. false: said that none was executed, or why it cannot be done. */
static bool find_functions(struct trace_list *list, struct wanted_functions *functions, const char *option,
                           struct occurrence *occurrence, struct listing_range **ranges, size_t *count)
{
    *ranges = wanted_ranges(functions, list->ask, occurrence, count);
    if (*ranges && *count > 0)
        return true;
    message_say(*ranges ? "trace: --%s %s: was not executed, or no function of this name is known"
                        : "trace: --%s %s: out of memory",
                option, functions->pattern);
    return false;
}

/* Where --from may come first: not before its first run. */
static bool find_from(struct trace_list *list)
{
    struct occurrence occurrence;
    struct listing_range *ranges;
    size_t count;
    const bool good = find_functions(list, &list->from, "from", &occurrence, &ranges, &count);
    free(ranges);
    if (!good)
        return false;
    list->from_stretch[index_chunk_of(&list->ask->index, occurrence.first.stretch)->cpu] = occurrence.first.stretch;
    return true;
}

static bool find_wanted(struct trace_list *list)
{
    struct occurrence occurrence;
    if (list->from.pattern && !find_from(list))
        return false;
    if (!list->function.pattern)
        return true;
    if (!find_functions(list, &list->function, "function", &occurrence, &list->ranges, &list->nr_ranges))
        return false;
    list->function_tsc = occurrence.first.tsc;
    return true;
}

/* The CPU that is wanted, or all of them in the order of time. */
static int list_cpus(struct trace_list *list)
{
    struct error error = {0};
    const bool one = list->options->cpu != ARGUMENT_NOT_GIVEN || list->ask->capture->nr_cpus == 1;
    list->cpu = list->options->cpu != ARGUMENT_NOT_GIVEN ? (uint16_t)list->options->cpu : 0;
    if (one ? trace_cpu(list, &error) : trace_merge(list, &error))
        return ask_say_missing(list->ask);
    error_say(&error);
    return 1;
}

static bool check_cpu(const struct ask *ask, uint64_t cpu)
{
    struct error error = {0};
    if (cpu == ARGUMENT_NOT_GIVEN || capture_trace(ask->capture, cpu, &error))
        return true;
    error_say(&error);
    return false;
}

int command_trace(int argc, char **argv)
{
    static struct trace_options o;
    static struct ask ask;
    int status = trace_options_parse(&o, argc, argv);
    if (status != ARGUMENTS_GOOD)
        return status;
    if (!ask_capture(&ask, o.capture, &o.ask))
        return 1;
    static struct trace_list list;
    const struct names_wishes *names = &o.ask.names;
    list = (struct trace_list){
        .options = &o, .ask = &ask, .function.pattern = o.function, .from.pattern = o.from, .to.pattern = o.to};
    const char *output = o.output ? o.output : "-";
    status = 1;
    if (o.srcline && !(list.sources = source_lines_open(ask.names, names->paths, names->files.count)))
        message_say("trace: out of memory for lines of sources");
    else if (check_cpu(&ask, o.cpu) && trace_options_time(&o, &ask, &list.from_tsc, &list.to_tsc) &&
             find_wanted(&list) && (list.file = output_open(output, o.capture))) {
        if (list.file == stdout)
            pager_start();
        status = list_cpus(&list);
        if (!output_close(list.file, output))
            status = 1;
    }
    source_lines_close(list.sources);
    wanted_functions_free(&list.function);
    wanted_functions_free(&list.from);
    wanted_functions_free(&list.to);
    free(list.ranges);
    ask_close(&ask);
    return status;
}
