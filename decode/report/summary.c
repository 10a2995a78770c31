#include "decode/report/summary.h"

#include <stdlib.h>
#include <string.h>

static struct figure end_figure(struct record_text end, const char *name)
{
    struct figure figure = {0};
    figure.known = text_find_number(&figure.value, end, name);
    return figure;
}

static void take_gap(struct summary_figures *cpu, const struct capture_record *record)
{
    struct record_gap gap;
    memcpy(&gap, record->payload, sizeof(gap));
    cpu->gaps++;
    if (gap.size == 0)
        cpu->gap_bytes.known = false; /* the size of this gap is unknown */
    cpu->gap_bytes.value += gap.size;
}

static void take_end(struct summary_figures *cpu, struct record_text end)
{
    cpu->regions = end_figure(end, "regions");
    cpu->pmis = end_figure(end, "pmis");
    cpu->stall_tsc = end_figure(end, "stall_tsc");
    cpu->exits_total = end_figure(end, "exits");
    exits_take(&cpu->exits, end);
    /* All records and bytes that the hypervisor counted must have arrived. */
    struct figure written = end_figure(end, "trace_bytes");
    cpu->received = end.size > 0 && cpu->gaps == 0 && (!written.known || written.value == cpu->trace_bytes);
}

static uint64_t mappings_of(const struct capture_record *record)
{
    struct record_map map = {0};
    if (record->header.length >= sizeof(map))
        memcpy(&map, record->payload, sizeof(map));
    return map.runs;
}

bool summary_take_capture(struct summary *summary, const struct capture *capture)
{
    struct record_text guest;
    summary->cpus = capture->nr_cpus;
    summary->per_cpu = calloc(capture->nr_cpus + 1, sizeof(*summary->per_cpu));
    if (!summary->per_cpu)
        return false;
    for (unsigned i = 0; i < summary->cpus; i++)
        summary->per_cpu[i].gap_bytes.known = true;
    for (size_t i = 0; i < capture->nr_records; i++) {
        const struct capture_record *record = &capture->records[i];
        struct record_page page;
        if (record->header.cpu >= summary->cpus)
            continue;
        struct summary_figures *cpu = &summary->per_cpu[record->header.cpu];
        if (record->header.kind == RECORD_GAP)
            take_gap(cpu, record);
        if (record->header.kind == RECORD_MAP)
            cpu->mappings += mappings_of(record);
        if (record->header.kind != RECORD_PAGE)
            continue;
        memcpy(&page, record->payload, sizeof(page));
        cpu->code_pages += !(page.flags & RECORD_PAGE_ROOT);
    }
    for (unsigned i = 0; i < summary->cpus; i++) {
        struct summary_figures *cpu = &summary->per_cpu[i];
        cpu->trace_bytes = capture->cpus[i].size;
        take_end(cpu, capture->ends[i]);
        cpu->received = cpu->received && capture->events_left_over == 0;
        cpu->damaged = capture->damages.count > 0;
        cpu->complete = cpu->received && !cpu->damaged;
    }
    if (!text_find_number(&summary->tsc_khz, capture->hello, "tsc_khz"))
        summary->tsc_khz = 0;
    if (!summary->guest && text_find(&guest, capture->hello, "guest"))
        summary->guest = strndup(guest.bytes, guest.size);
    return true;
}

void summary_free(struct summary *summary)
{
    free(summary->guest);
    free(summary->per_cpu);
    timeline_free(&summary->timeline);
    blackouts_free(&summary->blackouts);
}

void summary_take_run(struct summary *summary, unsigned number, const struct flow_run *run)
{
    struct summary_figures *cpu = &summary->per_cpu[number];
    cpu->packets = run->packets;
    cpu->instructions = run->instructions;
    cpu->branches = run->branches;
    cpu->decode_gaps = run->decode_gaps;
    cpu->complete = cpu->complete && run->decode_gaps.count == 0;
    cpu->overflows = run->overflows;
    cpu->undecodable_bytes = run->lost.bytes;
    cpu->inferred = run->inferred.used;
    timeline_take(&summary->timeline, number, run->results, run->nr_results);
    summary->seconds_decode = (summary->seconds_decode < 0 ? 0 : summary->seconds_decode) + run->seconds;
}

bool summary_take_blackouts(struct summary *summary, const struct capture *capture, uint16_t cpu,
                            const struct flow_run *run)
{
    if (summary->blackouts_known && !blackouts_are_shown(capture, cpu))
        summary->blackouts_known = false;
    return !summary->blackouts_known || blackouts_add(&summary->blackouts, capture, cpu, run->dark, run->nr_dark);
}

void summary_take_truth(struct summary *summary, unsigned number, const struct truth_cpu *truth,
                        const struct truth_comparison *comparison)
{
    struct summary_figures *cpu = &summary->per_cpu[number];
    summary->has_truth = true;
    cpu->truth = *comparison;
    cpu->guest_instructions = (struct figure){truth->ended, truth->end.non_root_instructions};
    cpu->root_instructions = (struct figure){truth->ended, truth->end.root_instructions};
}

/* The sum is known if both are. */
static void add_figure(struct figure *sum, struct figure figure, bool first)
{
    sum->known = figure.known && (first || sum->known);
    sum->value += figure.value;
}

static void add_cpu(struct summary_figures *sum, const struct summary_figures *cpu, bool first)
{
    sum->trace_bytes += cpu->trace_bytes;
    sum->gaps += cpu->gaps;
    sum->code_pages += cpu->code_pages;
    sum->mappings += cpu->mappings;
    add_figure(&sum->gap_bytes, cpu->gap_bytes, first);
    add_figure(&sum->regions, cpu->regions, first);
    add_figure(&sum->pmis, cpu->pmis, first);
    add_figure(&sum->stall_tsc, cpu->stall_tsc, first);
    add_figure(&sum->exits_total, cpu->exits_total, first);
    add_figure(&sum->guest_instructions, cpu->guest_instructions, first);
    add_figure(&sum->root_instructions, cpu->root_instructions, first);
    exits_add(&sum->exits, &cpu->exits, first);
    sum->received = cpu->received && (first || sum->received);
    sum->damaged = sum->damaged || cpu->damaged;
    sum->complete = cpu->complete && (first || sum->complete);
    sum->packets += cpu->packets;
    sum->instructions += cpu->instructions;
    sum->branches += cpu->branches;
    flow_gaps_sum(&sum->decode_gaps, &cpu->decode_gaps);
    sum->overflows += cpu->overflows;
    sum->inferred += cpu->inferred;
    sum->undecodable_bytes += cpu->undecodable_bytes;
    truth_add(&sum->truth, &cpu->truth);
}

void summary_add_up(struct summary *summary)
{
    summary->total = (struct summary_figures){.gap_bytes.known = true};
    for (unsigned i = 0; i < summary->cpus; i++)
        add_cpu(&summary->total, &summary->per_cpu[i], i == 0);
    exits_sort(&summary->total.exits);
}
