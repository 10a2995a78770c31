#include <inttypes.h>
#include <string.h>

#include "decode/report/difference.h"
#include "decode/report/number_text.h"
#include "decode/report/summary.h"

#define EXIT_PREFIX "exit."

static void print_row(FILE *file, const char *name, uint64_t value)
{
    char number[COUNT_TEXT_SIZE];
    fprintf(file, "  %-24s %18s\n", name, count_text(number, value));
}

static void row_figure(FILE *file, const char *name, struct figure figure)
{
    if (figure.known)
        print_row(file, name, figure.value);
    else
        fprintf(file, "  %-24s %18s\n", name, "not known");
}

static void print_exits(FILE *file, const struct summary *s)
{
    struct text_line line;
    size_t position = 0, prefix = sizeof(EXIT_PREFIX) - 1;
    row_figure(file, "VM exits", s->exits);
    while (text_next(&line, s->end, &position)) {
        uint64_t count;
        char number[COUNT_TEXT_SIZE];
        if (line.name.size > prefix && !memcmp(line.name.bytes, EXIT_PREFIX, prefix) && text_number(&count, line.value))
            fprintf(file, "    %-22.*s %18s\n", (int)(line.name.size - prefix), line.name.bytes + prefix,
                    count_text(number, count));
    }
}

static void print_truth(FILE *file, const struct summary *s)
{
    const struct truth_comparison *truth = &s->truth;
    fputs("\nWhat the emulated CPU did\n", file);
    print_row(file, "branches", truth->branches);
    row_figure(file, "guest instructions", s->guest_instructions);
    row_figure(file, "root instructions", s->root_instructions);
    row_figure(file, "of these stalled", s->stall_tsc);
    if (s->trace_bytes == 0)
        return;
    fputs("\nThe decoded trace compared with that\n", file);
    print_row(file, "branches matched", truth->matched);
    if (truth->branches)
        fprintf(file, "  %-24s %17.3f%%\n", "", 100.0 * (double)truth->matched / (double)truth->branches);
    fprintf(file, "  %-24s %18" PRIu64 " of %" PRIu64 "\n", "intervals equal", truth->equal_intervals,
            truth->intervals);
    if (truth->in_gaps)
        fprintf(file, "  %-24s %18" PRIu64 " intervals, not compared\n", "in gaps", truth->in_gaps);
    if (truth->first.found)
        difference_print(file, &truth->first);
    else
        fputs("  no difference\n", file);
}

static void print_decoded(FILE *file, const struct summary *s)
{
    fputs("\nDecoded\n", file);
    print_row(file, "instructions", s->instructions);
    print_row(file, "branches", s->branches);
    print_row(file, "stretches with errors", s->decode_errors);
    if (s->undecodable_bytes)
        print_row(file, "bytes before any PSB", s->undecodable_bytes);
    if (s->instructions)
        fprintf(file, "  %-24s %18.3f\n", "bits an instruction",
                8.0 * (double)s->trace_bytes / (double)s->instructions);
    if (s->seconds_decode > 0)
        fprintf(file, "  %-24s %18.1f\n", "seconds", s->seconds_decode);
}

static void print_hottest(FILE *file, const struct summary *s, const struct symbols *symbols)
{
    fputs("\nHottest branch targets\n", file);
    for (size_t i = 0; i < s->nr_hottest; i++) {
        char number[COUNT_TEXT_SIZE];
        const struct hot_entry *entry = &s->hottest[i];
        fprintf(file, "  %016" PRIx64 " %17s", entry->address, count_text(number, entry->count));
        const struct symbol *symbol = symbols ? symbols_find(symbols, entry->address) : NULL;
        if (symbol)
            fprintf(file, "  %s+0x%" PRIx64, symbol->name, entry->address - symbol->address);
        fputc('\n', file);
    }
}

void summary_print(FILE *file, const struct summary *s, const struct symbols *symbols)
{
    fprintf(file, "%s: %s\n\nTrace\n", s->guest ? s->guest : "guest not known",
            s->complete ? "complete" : "incomplete: bytes or the end are missing");
    print_row(file, "bytes", s->trace_bytes);
    print_row(file, "packets", s->packets);
    row_figure(file, "regions", s->regions);
    row_figure(file, "PMIs", s->pmis);
    print_row(file, "overflows", s->overflows);
    print_row(file, "gaps", s->gaps);
    row_figure(file, "gap bytes", s->gap_bytes);
    print_row(file, "code pages", s->code_pages);
    print_exits(file, s);
    if (s->trace_bytes > 0)
        print_decoded(file, s);
    else
        fputs("\nNothing was traced.\n", file);
    if (s->has_truth)
        print_truth(file, s);
    if (s->nr_hottest)
        print_hottest(file, s, symbols);
}
