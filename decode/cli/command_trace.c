/* undertrace trace: functions, branches or instructions, in order. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/cli/commands.h"
#include "decode/cli/error_text.h"
#include "decode/cli/message.h"
#include "decode/cli/output.h"
#include "decode/cli/trace_list.h"

bool trace_between(struct trace_list *list, const struct name *name)
{
    if (!list->begun && !(name && wanted_function(&list->from, name)))
        return false;
    const bool first = !list->begun;
    list->begun = true;
    if (!first && list->to.pattern && name && wanted_function(&list->to, name))
        list->done = true;
    return true;
}

bool trace_is_process(const struct trace_list *list, uint64_t cr3, uint64_t at)
{
    const struct trace_options *o = list->options;
    const struct code_pages *pages = &list->ask->traces[list->cpu].pages;
    if (!o->process)
        return true;
    if (cr3 == FLOW_CR3_UNKNOWN)
        return false;
    if (o->cr3 != FLOW_CR3_UNKNOWN)
        return cr3 == o->cr3 || (pages->nr_maps && code_pages_space(pages, cr3) == code_pages_space(pages, o->cr3));
    const char *name = names_process(list->ask->names, pages, cr3, at);
    return name && !strcmp(name, o->process);
}

void trace_color(const struct trace_list *list, const char *color)
{
    if (list->options->colored)
        fprintf(list->file, "\033[%sm", color);
}

void trace_plain(const struct trace_list *list)
{
    if (list->options->colored)
        fputs("\033[0m", list->file);
}

void trace_head(struct trace_list *list, uint64_t tsc, uint64_t cr3)
{
    char time[TIME_TEXT_SIZE];
    trace_color(list, COLOR_DIM);
    fprintf(list->file, "%14s %u ", time_text(time, list->ask, tsc), list->cpu);
    if (cr3 == FLOW_CR3_UNKNOWN)
        fprintf(list->file, "%10s ", "-");
    else
        fprintf(list->file, "%#10" PRIx64 " ", cr3);
    trace_plain(list);
}

void trace_line_end(struct trace_list *list)
{
    putc('\n', list->file);
    if (++list->lines >= list->options->lines || ferror(list->file))
        list->done = true;
}

struct listing trace_listing(const struct trace_list *list)
{
    struct listing listing = {.ask = list->ask,
                              .cpu = list->cpu,
                              .from_stretch = list->from_stretch[list->cpu],
                              .from_tsc = list->from_tsc,
                              .to_tsc = list->to_tsc};
    if (list->function.pattern) {
        listing.ranges = list->ranges;
        listing.nr_ranges = list->nr_ranges;
    } else if (list->options->address) {
        listing.ranges = &list->options->addresses;
        listing.nr_ranges = 1;
    }
    return listing;
}

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
    return (!list->from.pattern || find_from(list)) &&
           (!list->function.pattern ||
            find_functions(list, &list->function, "function", &occurrence, &list->ranges, &list->nr_ranges));
}

static int list_cpus(struct trace_list *list)
{
    struct error error = {0};
    bool good = true;
    for (unsigned cpu = 0; cpu < list->ask->capture->nr_cpus && good; cpu++) {
        if (!list->ask->capture->cpus[cpu].present ||
            (list->options->cpu != ARGUMENT_NOT_GIVEN && list->options->cpu != cpu))
            continue;
        list->cpu = (uint16_t)cpu;
        list->begun = !list->from.pattern;
        list->done = list->lines >= list->options->lines;
        good = list->options->what == TRACE_FUNCTIONS ? trace_functions(list, &error) : trace_branches(list, &error);
    }
    if (!good)
        error_say(&error);
    return good ? ask_say_missing(list->ask) : 1;
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
    list = (struct trace_list){
        .options = &o, .ask = &ask, .function.pattern = o.function, .from.pattern = o.from, .to.pattern = o.to};
    const char *output = o.output ? o.output : "-";
    status = 1;
    if (check_cpu(&ask, o.cpu) && trace_options_time(&o, &ask, &list.from_tsc, &list.to_tsc) && find_wanted(&list) &&
        (list.file = output_open(output, o.capture))) {
        status = list_cpus(&list);
        if (!output_close(list.file, output))
            status = 1;
    }
    wanted_functions_free(&list.function);
    wanted_functions_free(&list.from);
    wanted_functions_free(&list.to);
    free(list.ranges);
    ask_close(&ask);
    return status;
}
