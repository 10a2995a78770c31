#include "decode/cli/trace/trace_list.h"
#include "decode/cli/text/name_text.h"

#include <inttypes.h>
#include <string.h>

#define PROCESS_WIDTH "22" /* "systemd-journal (1234)" */

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
    const struct code_pages *pages = &list->indexed->traces[list->cpu].pages;
    if (!o->process)
        return true;
    if (cr3 == FLOW_CR3_UNKNOWN)
        return false;
    if (o->cr3 != FLOW_CR3_UNKNOWN)
        return cr3 == o->cr3 || (pages->nr_maps && code_pages_space(pages, cr3) == code_pages_space(pages, o->cr3));
    return names_is_process(list->indexed->names, pages, cr3, at, o->process);
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

const char *trace_process(const struct trace_list *list, uint64_t cr3, uint64_t at)
{
    if (cr3 == FLOW_CR3_UNKNOWN || !names_has_processes(list->indexed->names))
        return NULL;
    return names_process_text(list->indexed->names, &list->indexed->traces[list->cpu].pages, cr3, at);
}

void trace_head(struct trace_list *list, uint64_t tsc, uint64_t cr3, const char *name)
{
    if (!list->time[0] || list->tsc != tsc) /* most lines have the time of the preceding one */
        time_text(list->time, list->indexed, tsc);
    list->tsc = tsc;
    trace_color(list, COLOR_DIM);
    fprintf(list->file, "%14s %u ", list->time, list->cpu);
    if (cr3 == FLOW_CR3_UNKNOWN)
        fprintf(list->file, "%10s ", "-");
    else
        fprintf(list->file, "%#10" PRIx64 " ", cr3);
    if (names_has_processes(list->indexed->names))
        fprintf(list->file, "%-" PROCESS_WIDTH "s ", name ? name : "-");
    trace_plain(list);
}

void trace_source(const struct trace_list *list, uint64_t cr3, uint64_t at, uint64_t address)
{
    char text[SOURCE_LINE_SIZE];
    if (!list->sources ||
        !source_line_known(text, list->sources, &list->indexed->traces[list->cpu].pages, cr3, at, address))
        return;
    trace_color(list, COLOR_DIM);
    fprintf(list->file, " (%s)", text);
    trace_plain(list);
}

void trace_line_end(struct trace_list *list)
{
    putc('\n', list->file);
    trace_line_count(list);
    if (list->line_taken)
        list->line_taken(list, list->tsc);
}

void trace_line_count(struct trace_list *list)
{
    if (++list->lines >= list->options->lines || ferror(list->file))
        list->done = true;
}

const struct listing_range *trace_also(const struct trace_list *list, size_t *count)
{
    const struct listing_ranges *ranges = list->begun ? &list->to_ranges : &list->from_ranges;
    *count = ranges->count;
    return ranges->items;
}

struct listing trace_listing(const struct trace_list *list)
{
    struct listing listing = {.indexed = list->indexed,
                              .cpu = list->cpu,
                              .from_stretch = list->from_stretch[list->cpu],
                              .spaces = list->spaces.meant,
                              .from_tsc = list->from_tsc,
                              .to_tsc = list->to_tsc};
    if (list->function.pattern) {
        listing.ranges = list->function_ranges.items;
        listing.nr_ranges = list->function_ranges.count;
        listing.from_tsc = list->function_tsc > list->from_tsc ? list->function_tsc : list->from_tsc;
    } else if (list->options->address) {
        listing.ranges = &list->options->addresses;
        listing.nr_ranges = 1;
    }
    return listing;
}
