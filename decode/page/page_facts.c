/* The facts: a JSON object with everything except long lists of numbers. */
#include <inttypes.h>

#include "decode/capture/exits.h"
#include "decode/capture/gaps.h"
#include "decode/capture/text.h"
#include "decode/page/page_state.h"
#include "decode/profile/label.h"
#include "decode/report/cause_text.h"

static void write_number(FILE *file, const char *name, uint64_t value)
{
    fprintf(file, "\"%s\":%" PRIu64 ",\n", name, value);
}

/* All functions of the kernel: symbols, one per line, and for each its distance from the preceding one, and its
 * size. */
static void write_kernel(FILE *file, const struct names *names)
{
    struct name function;
    uint64_t first = 0, last = 0;
    fputs("\"kernel\":{\"symbols\":\"", file);
    for (size_t at = 0, i = 0; names_kernel_function(names, &at, &function); i++) {
        fputs(i ? "\\n" : "", file);
        for (const char *c = function.symbol; *c; c++)
            if (*c > 0x20 && *c < 0x7f && *c != '"' && *c != '\\' && *c != '<')
                fputc(*c, file);
    }
    fputs("\",\"sizes\":[", file);
    for (size_t at = 0, i = 0; names_kernel_function(names, &at, &function); i++) {
        first = i ? first : function.begin;
        fprintf(file, "%s%" PRIu64 ",%" PRIu64, i ? "," : "", i ? function.begin - last : 0,
                function.end - function.begin);
        last = function.begin;
    }
    fprintf(file, "],\"begin\":\"%" PRIx64 "\"},\n", first);
}

/* Processes are those of the call tree; the first one means unknown. Tasks: number, process, name of the thread. */
static void write_processes(FILE *file, const struct page *page)
{
    char text[LABEL_SIZE];
    const struct profile *profile = &page->profile;
    fputs("\"processes\":[{\"root\":0,\"label\":\"others\"}", file);
    for (size_t i = 1; i < profile->nr_processes; i++) {
        fprintf(file, ",\n{\"root\":%" PRIu32 ",\"label\":", page->tree.roots[i]);
        page_write_text(file, label_process(text, &profile->processes[i]));
        fputc('}', file);
    }
    fputs("],\n\"tasks\":[", file);
    for (size_t i = 0; i < page->slices.nr_tasks; i++) {
        const struct slice_task *task = &page->slices.tasks[i];
        fprintf(file, "%s[%" PRIu32 ",%" PRIu32 ",", i ? "," : "", task->number,
                task->number < page->processes_room ? page->processes[task->number] : 0);
        page_write_text(file, task->thread ? label_thread(text, task->thread) : NULL);
        fputc(']', file);
    }
    fputs("],\n", file);
}

static void write_tracks(FILE *file, const struct slices *slices)
{
    fputs("\"tracks\":[", file);
    for (uint32_t track = 0; track < slices->nr_tracks; track++) {
        size_t begin = 0, end;
        while (begin < slices->count && slices->items[begin].track != track)
            begin++;
        for (end = begin; end < slices->count && slices->items[end].track == track;)
            end++;
        fprintf(file, "%s[%" PRIu32 ",%zu,%zu]", track ? "," : "", slices->tracks[track].cpu, begin, end - begin);
    }
    fputs("],\n", file);
}

static bool write_gaps(FILE *file, const struct page *page)
{
    const struct capture *capture = page->run->capture;
    const char *comma = "";
    fputs("\"gaps\":[", file);
    for (unsigned cpu = 0; cpu < capture->nr_cpus; cpu++) {
        struct gaps gaps;
        struct error error = {0};
        if (!gaps_collect(&gaps, capture, (uint16_t)cpu, &error))
            return false;
        for (size_t i = 0; i < gaps.count; i++) {
            const struct record_gap *gap = &gaps.items[i];
            if (gap->tsc_from == 0 || gap->tsc_to < page->run->window.from || gap->tsc_from >= page->run->window.to)
                continue;
            fprintf(file, "%s{\"cpu\":%u,\"from\":%" PRIu32 ",\"to\":%" PRIu32 ",\"cause\":\"%s\"}", comma, cpu,
                    page_moment(page, gap->tsc_from), page_moment(page, gap->tsc_to), gap_cause_text(gap->cause));
            comma = ",";
        }
        gaps_free(&gaps);
    }
    for (size_t i = 0; i < page->slices.nr_lost; i++, comma = ",") {
        const uint32_t when = page_moment(page, page->slices.lost[i].tsc);
        fprintf(file,
                "%s{\"cpu\":%" PRIu32 ",\"from\":%" PRIu32 ",\"to\":%" PRIu32 ",\"cause\":\"call stacks were lost\"}",
                comma, page->slices.lost[i].cpu, when, when);
    }
    fputs("],\n", file);
    return true;
}

/* VM exits of all CPUs by reason, the most expensive first; ticks of root mode, where known. */
static void write_exits(FILE *file, const struct capture *capture)
{
    struct exits sum = {0};
    bool first = true;
    for (unsigned cpu = 0; cpu < capture->nr_cpus; cpu++) {
        struct exits exits;
        exits_take(&exits, capture->ends[cpu]);
        exits_add(&sum, &exits, first);
        first = false;
    }
    exits_sort(&sum);
    fputs("\"exits\":[", file);
    for (size_t i = 0; i < sum.count; i++) {
        fputs(i ? ",{\"reason\":" : "{\"reason\":", file);
        page_write_bytes(file, sum.items[i].name.bytes, sum.items[i].name.size);
        fprintf(file, ",\"count\":%" PRIu64, sum.items[i].count);
        if (sum.timed)
            fprintf(file, ",\"ticks\":%" PRIu64, sum.items[i].ticks);
        fputc('}', file);
    }
    fputs("],\n", file);
}

static void write_machine(FILE *file, const struct capture *capture)
{
    struct text_line line;
    struct record_text guest = {"", 0};
    const char *comma = "";
    size_t position = 0;
    text_find(&guest, capture->hello, "guest");
    fputs("\"guest\":", file);
    page_write_bytes(file, guest.bytes, guest.size);
    fputs(",\n\"machine\":{", file);
    while (text_next(&line, capture->hello, &position)) {
        fputs(comma, file);
        page_write_bytes(file, line.name.bytes, line.name.size);
        fputc(':', file);
        page_write_bytes(file, line.value.bytes, line.value.size);
        comma = ",";
    }
    fputs("},\n", file);
}

static void write_about(FILE *file, const struct names *names)
{
    const char *line;
    fputs("\"about\":[", file);
    for (size_t i = 0; (line = names_about(names, i)); i++) {
        fputs(i ? "," : "", file);
        page_write_text(file, line);
    }
    fputs("],\n", file);
}

/* What is the same for each window. */
static void write_whole(FILE *file, const struct page *page)
{
    write_machine(file, page->run->capture);
    write_exits(file, page->run->capture);
    write_about(file, page->run->names);
    write_kernel(file, page->run->names);
}

/* All decoded branches; of a page of a window or a process, those in it. */
static uint64_t shown_branches(const struct page *page)
{
    const struct calls_run *run = page->run;
    const bool all = run->window.from == 0 && run->window.to == UINT64_MAX && !run->process;
    return all ? run->branches : page->profile.branches;
}

bool page_write_facts(FILE *file, const struct page *page, enum page_form form)
{
    const struct slices *slices = &page->slices;
    const struct calls_clock *clock = &page->run->clock;
    const double tick = clock->by_branches || clock->khz == 0 ? 1 : 1000000.0 / (double)clock->khz;
    fputs("{\n\"capture\":", file);
    page_write_text(file, page->run->capture->directory);
    fprintf(file, ",\n\"served\":%s,\n\"tick\":%.9g,\"unit\":%.9g,\"by_branches\":%s,\n",
            page->served ? "true" : "false", tick, tick * (double)page->unit, clock->by_branches ? "true" : "false");
    write_number(file, "begin_ticks", page->first > clock->zero ? page->first - clock->zero : 0);
    write_number(file, "unit_ticks", page->unit);
    write_number(file, "origin", calls_nanoseconds(clock, page->first));
    write_number(file, "duration", slices->last > page->first ? page_moment(page, slices->last) : 0);
    write_number(file, "least", page_moment(page, page->first + slices->least));
    write_number(file, "merged", slices->merged);
    write_number(file, "merged_runs", slices->merged_runs);
    write_number(file, "merged_run_units", page_moment(page, page->first + slices->merged_run_ticks));
    write_number(file, "merged_nodes", page->tree.merged);
    write_number(file, "branches", shown_branches(page));
    write_number(file, "decode_gaps", page->run->decode_gaps);
    write_number(file, "lost_branches", page->profile.lost_branches);
    write_number(file, "lost_ticks", page->profile.lost_ticks);
    if (form == PAGE_HTML)
        write_whole(file, page);
    write_processes(file, page);
    write_tracks(file, slices);
    const bool good = write_gaps(file, page) && page_write_names(file, page, form);
    fputs("\"mark_kinds\":[\"VM exit\",\"code page sent\",\"mappings sent\",\"trace handed over\",\"end of a blackout "
          "(SMI)\"]}",
          file);
    return good;
}
