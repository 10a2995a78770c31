#include "decode/report/summary.h"

#include <stdlib.h>
#include <string.h>

static struct figure end_figure(struct record_text end, const char *name)
{
    struct figure figure = {0};
    figure.known = text_find_number(&figure.value, end, name);
    return figure;
}

static void take_gap(struct summary *summary, const struct capture_record *record)
{
    struct record_gap gap;
    memcpy(&gap, record->payload, sizeof(gap));
    summary->gaps++;
    if (gap.size == 0)
        summary->gap_bytes.known = false; /* nobody knows */
    summary->gap_bytes.value += gap.size;
}

void summary_take_capture(struct summary *summary, const struct capture *capture)
{
    struct record_text guest;
    summary->cpus = capture->nr_cpus;
    summary->gap_bytes.known = true;
    for (unsigned cpu = 0; cpu < capture->nr_cpus; cpu++)
        summary->trace_bytes += capture->cpus[cpu].size;
    for (size_t i = 0; i < capture->nr_records; i++) {
        const struct capture_record *record = &capture->records[i];
        struct record_page page;
        if (record->header.kind == RECORD_GAP)
            take_gap(summary, record);
        if (record->header.kind != RECORD_PAGE)
            continue;
        memcpy(&page, record->payload, sizeof(page));
        summary->code_pages += !(page.flags & RECORD_PAGE_ROOT);
    }
    summary->end = capture->end;
    summary->regions = end_figure(capture->end, "regions");
    summary->pmis = end_figure(capture->end, "pmis");
    summary->stall_tsc = end_figure(capture->end, "stall_tsc");
    summary->exits = end_figure(capture->end, "exits");
    if (!summary->guest && text_find(&guest, capture->hello, "guest"))
        summary->guest = strndup(guest.bytes, guest.size);
    /* What the hypervisor counted must all be here. */
    struct figure written = end_figure(capture->end, "trace_bytes");
    summary->complete = capture->end.size > 0 && summary->gaps == 0 && capture->events_left_over == 0 &&
                        (!written.known || summary->cpus != 1 || written.value == summary->trace_bytes);
}

void summary_take_run(struct summary *summary, const struct flow_run *run)
{
    summary->packets += run->packets;
    summary->instructions += run->instructions;
    summary->branches += run->branches;
    summary->decode_errors += run->errors;
    summary->overflows += run->overflows;
    summary->undecodable_bytes += run->undecodable_bytes;
    summary->seconds_decode = (summary->seconds_decode < 0 ? 0 : summary->seconds_decode) + run->seconds;
}

void summary_take_truth(struct summary *summary, const struct truth_cpu *truth, const struct truth_comparison *c)
{
    struct truth_comparison *sum = &summary->truth;
    summary->has_truth = true;
    if (!sum->first.found)
        sum->first = c->first;
    sum->branches += c->branches;
    sum->matched += c->matched;
    sum->intervals += c->intervals;
    sum->equal_intervals += c->equal_intervals;
    sum->in_gaps += c->in_gaps;
    sum->branches_in_gaps += c->branches_in_gaps;
    sum->extra_stretches += c->extra_stretches;
    if (!truth->ended)
        return;
    summary->guest_instructions =
        (struct figure){true, summary->guest_instructions.value + truth->end.non_root_instructions};
    summary->root_instructions = (struct figure){true, summary->root_instructions.value + truth->end.root_instructions};
}
