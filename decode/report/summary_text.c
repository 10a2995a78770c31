#include <inttypes.h>
#include <string.h>

#include "decode/capture/text.h"
#include "decode/report/cause_text.h"
#include "decode/report/difference.h"
#include "decode/report/number_text.h"
#include "decode/report/summary.h"

static void print_row(FILE *file, const char *name, uint64_t value)
{
    char number[COUNT_TEXT_SIZE];
    fprintf(file, "  %-24s %18s\n", name, count_text(number, value));
}

static void print_row_figure(FILE *file, const char *name, struct figure figure)
{
    if (figure.known)
        print_row(file, name, figure.value);
    else
        fprintf(file, "  %-24s %18s\n", name, "not known");
}

/* Print the cost of VM exits: the time in root mode, without the CPU's own transitions. */
static void print_exits(FILE *file, const struct exits *exits, uint64_t khz)
{
    char number[COUNT_TEXT_SIZE], each[COUNT_TEXT_SIZE];
    if (exits->count == 0)
        return;
    fprintf(file, "\n%-34s %18s%s\n", "VM exits by reason", "number",
            !exits->timed ? ""
            : khz         ? "       ticks each          s"
                          : "       ticks each");
    for (size_t i = 0; i < exits->count; i++) {
        const struct exits_reason *of = &exits->items[i];
        fputs("  ", file);
        const size_t width = text_write_plain(file, of->name);
        fprintf(file, "%*s %18s", width < 32 ? (int)(32 - width) : 0, "", count_text(number, of->count));
        if (exits->timed)
            fprintf(file, " %16s", count_text(each, of->count ? of->ticks / of->count : 0));
        if (exits->timed && khz)
            fprintf(file, " %10.3f", (double)of->ticks / (double)khz / 1000);
        fputc('\n', file);
    }
}

/* Print a figure in a column of the table of CPUs. */
static void print_cell(FILE *file, struct figure figure)
{
    char number[COUNT_TEXT_SIZE];
    fprintf(file, " %17s", figure.known ? count_text(number, figure.value) : "-");
}

/* The number of CPUs that fit 100 columns. */
#define CPUS_A_TABLE 4u

/* Print a line for each figure, with a column for each CPU. */
static void print_cpus(FILE *file, const struct summary *s, unsigned first, unsigned end)
{
    static const char *const names[] = {"bytes",
                                        "packets",
                                        "PMIs",
                                        "gaps",
                                        "code pages",
                                        "VM exits",
                                        "instructions",
                                        "branches",
                                        "decode gaps",
                                        "branches taken",
                                        "branches matched",
                                        "guest instructions",
                                        "root instructions"};
    size_t nr_names = sizeof(names) / sizeof(names[0]);
    fprintf(file, "  %-24s", "");
    for (unsigned cpu = first; cpu < end; cpu++)
        fprintf(file, "%*sCPU %u", cpu < 10 ? 13 : cpu < 100 ? 12 : 11, "", cpu);
    fputc('\n', file);
    for (size_t row = 0; row < nr_names - (s->has_truth ? 0 : 4); row++) {
        fprintf(file, "  %-24s", names[row]);
        for (unsigned cpu = first; cpu < end; cpu++) {
            const struct summary_figures *f = &s->per_cpu[cpu];
            const struct figure figures[] = {
                figure_of(f->trace_bytes),    figure_of(f->packets),       f->pmis,
                figure_of(f->gaps),           figure_of(f->code_pages),    f->exits_total,
                figure_of(f->instructions),   figure_of(f->branches),      figure_of(f->decode_gaps.count),
                figure_of(f->truth.branches), figure_of(f->truth.matched), f->guest_instructions,
                f->root_instructions};
            print_cell(file, figures[row]);
        }
        fputc('\n', file);
    }
}

static void print_truth(FILE *file, const struct summary_figures *s)
{
    const struct truth_comparison *truth = &s->truth;
    fputs("\nWhat the emulated CPU did\n", file);
    print_row(file, "branches", truth->branches);
    print_row_figure(file, "guest instructions", s->guest_instructions);
    print_row_figure(file, "root instructions", s->root_instructions);
    print_row_figure(file, "of these stalled", s->stall_tsc);
    if (s->trace_bytes == 0)
        return;
    fputs("\nThe decoded trace compared with that\n", file);
    print_row(file, "branches matched", truth->matched);
    if (truth->branches)
        fprintf(file, "  %-24s %17.3f%%\n", "", 100.0 * (double)truth->matched / (double)truth->branches);
    fprintf(file, "  %-24s %18" PRIu64 " of %" PRIu64 "\n", "intervals equal", truth->equal_intervals,
            truth->intervals);
    if (truth->in_gaps)
        fprintf(file, "  %-24s %18" PRIu64 " intervals, compared up to the gap\n", "in gaps", truth->in_gaps);
    if (truth->extra_stretches)
        print_row(file, "stretches without a PSB", truth->extra_stretches);
    if (truth->first.found)
        difference_print(file, &truth->first);
    else if (truth->extra_stretches == 0)
        fputs("  no difference\n", file);
}

/* Print a line for each cause, and the bytes that are not decoded. */
static void print_gaps(FILE *file, const struct flow_gaps *gaps)
{
    char number[COUNT_TEXT_SIZE];
    for (enum flow_error i = FLOW_OK; i < FLOW_NR_ERRORS; i++)
        if (gaps->by_cause[i])
            fprintf(file, "    %s: %s\n", flow_error_text(i), count_text(number, gaps->by_cause[i]));
    if (gaps->count)
        print_row(file, "bytes not decoded", gaps->bytes);
}

const char *summary_result_text(char *text, const struct summary_figures *f)
{
    char number[COUNT_TEXT_SIZE];
    if (f->complete)
        return strcpy(text, "complete");
    const char *missing = f->received ? "" : f->gaps == 0 ? "bytes or the end are missing" : "the trace has gaps";
    const char *damaged = !f->damaged ? "" : f->received ? "files are damaged" : ", files are damaged";
    size_t used = (size_t)snprintf(text, RESULT_TEXT_SIZE, "incomplete: %s%s", missing, damaged);
    if (f->decode_gaps.count)
        snprintf(text + used, RESULT_TEXT_SIZE - used, "%s%s decode gap%s", f->received && !f->damaged ? "" : ", ",
                 count_text(number, f->decode_gaps.count), f->decode_gaps.count == 1 ? "" : "s");
    return text;
}

/* The longest, and all together: by the last timing packet before each, so that they are not longer. */
static void print_blackouts(FILE *file, const struct summary *s)
{
    const struct blackouts *all = &s->blackouts;
    const struct blackout *longest = NULL;
    uint64_t ticks = 0;
    if (!s->blackouts_known)
        return;
    print_row(file, "blackouts (SMM)", all->count);
    for (size_t i = 0; i < all->count; i++) {
        const struct blackout *blackout = &all->items[i];
        ticks += blackout_ticks(blackout);
        if (!longest || blackout_ticks(blackout) > blackout_ticks(longest))
            longest = blackout;
    }
    if (ticks && s->tsc_khz)
        fprintf(file, "    the longest: %.3f ms at %.6f s on CPU %u; %.3f ms in all\n",
                (double)blackout_ticks(longest) / (double)s->tsc_khz,
                longest->from > s->first_tsc ? (double)(longest->from - s->first_tsc) / (double)s->tsc_khz / 1000 : 0,
                longest->cpu, (double)ticks / (double)s->tsc_khz);
}

static void print_flow_figures(FILE *file, const struct summary_figures *s, double seconds)
{
    fputs("\nDecoded\n", file);
    print_row(file, "instructions", s->instructions);
    print_row(file, "branches", s->branches);
    print_row(file, "decode gaps", s->decode_gaps.count);
    print_gaps(file, &s->decode_gaps);
    if (s->undecodable_bytes)
        print_row(file, "bytes before any PSB", s->undecodable_bytes);
    if (s->instructions)
        fprintf(file, "  %-24s %18.3f\n", "bits an instruction",
                8.0 * (double)s->trace_bytes / (double)s->instructions);
    if (seconds > 0)
        fprintf(file, "  %-24s %18.1f\n", "seconds", seconds);
}

void summary_print_hottest(FILE *file, const struct summary *s)
{
    if (s->nr_hottest == 0)
        return;
    fputs("\nHottest branch targets\n", file);
    for (size_t i = 0; i < s->nr_hottest; i++) {
        char number[COUNT_TEXT_SIZE];
        const struct hot_entry *entry = &s->hottest[i];
        fprintf(file, "  %016" PRIx64 " %17s", entry->address, count_text(number, entry->count));
        fputc('\n', file);
    }
}

void summary_print(FILE *file, const struct summary *s)
{
    const struct summary_figures *total = &s->total;
    char result[RESULT_TEXT_SIZE];
    const char *guest = s->guest ? s->guest : "guest not known";
    text_write_plain(file, (struct record_text){guest, strlen(guest)});
    fprintf(file, ": %s\n\nTrace\n", summary_result_text(result, total));
    print_row(file, "bytes", total->trace_bytes);
    print_row(file, "packets", total->packets);
    print_row_figure(file, "regions", total->regions);
    print_row_figure(file, "PMIs", total->pmis);
    print_row(file, "overflows", total->overflows);
    print_row(file, "gaps", total->gaps);
    print_row_figure(file, "gap bytes", total->gap_bytes);
    print_blackouts(file, s);
    print_row(file, "code pages", total->code_pages);
    print_row_figure(file, "VM exits", total->exits_total);
    if (total->trace_bytes > 0)
        print_flow_figures(file, total, s->seconds_decode);
    else
        fputs("\nNothing was traced.\n", file);
    if (s->has_truth)
        print_truth(file, total);
    print_exits(file, &total->exits, s->tsc_khz);
    if (s->cpus > 1) {
        fputs("\nEach CPU\n", file);
        for (unsigned cpu = 0; cpu < s->cpus; cpu += CPUS_A_TABLE)
            print_cpus(file, s, cpu, s->cpus - cpu < CPUS_A_TABLE ? s->cpus : cpu + CPUS_A_TABLE);
        timeline_print(file, &s->timeline, s->tsc_khz, s->cpus);
    }
}
