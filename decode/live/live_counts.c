#include "decode/live/live_counts.h"

#include <stdlib.h>

#include "decode/capture/list.h"
#include "pt/instruction/instruction.h"

#define FIRST_SIZE 4096u

static bool is_kernel(uint64_t address)
{
    return address >> 63;
}

/* --- the present stretch --- */

static void add_step(struct live_counts *counts, const struct live_step *step)
{
    struct live_step *place = list_add((void **)&counts->steps, &counts->nr_steps, &counts->steps_room, sizeof(*place));
    if (place)
        *place = *step;
    else
        counts->full = true;
}

void live_counts_take(struct live_counts *counts, const struct flow_batch *batch)
{
    const struct flow_context *context = &batch->context;
    struct live_step step = {
        .cr3 = context->cr3, .at = context->at, .tsc = context->tsc, .branches = batch->conditional};
    for (size_t i = 0; batch->kind == FLOW_BATCH_ITEMS && i < batch->count; i++) {
        const union flow_item *item = &batch->items[i];
        if (batch->tags[i] == FLOW_TAG_CONDITIONAL) {
            step.branches += item->conditional;
            continue;
        }
        step.address = item->branch.from;
        step.branches++;
        step.enters_user = batch->tags[i] == INSTRUCTION_FAR_RETURN && is_kernel(item->branch.from) &&
                           item->branch.to && !is_kernel(item->branch.to);
        counts->last_to[context->cpu] = item->branch.to;
        add_step(counts, &step);
        step.branches = 0;
    }
    step.address = counts->last_to[context->cpu];
    step.enters_user = false;
    if (step.branches > 0 && (batch->kind == FLOW_BATCH_ITEMS || batch->kind == FLOW_BATCH_END))
        add_step(counts, &step);
}

/* --- what is kept --- */

static struct live_spot *spot_of(struct live_spot *spots, size_t size, uint64_t address, uint64_t cr3)
{
    const uint64_t mixed = (address ^ cr3 * 13) * 0x9e3779b97f4a7c15ull;
    size_t at = (size_t)(mixed >> 24) & (size - 1);
    while (spots[at].branches && (spots[at].address != address || spots[at].cr3 != cr3))
        at = (at + 1) & (size - 1);
    return &spots[at];
}

static bool grow(struct live_counts *counts)
{
    const size_t size = counts->size ? 2 * counts->size : FIRST_SIZE;
    if (2 * counts->used < counts->size)
        return true;
    struct live_spot *spots = calloc(size, sizeof(*spots));
    if (!spots)
        return false;
    for (size_t i = 0; i < counts->size; i++)
        if (counts->spots[i].branches)
            *spot_of(spots, size, counts->spots[i].address, counts->spots[i].cr3) = counts->spots[i];
    free(counts->spots);
    counts->spots = spots;
    counts->size = size;
    return true;
}

void live_counts_put_spot(struct live_counts *counts, const struct live_spot *spot)
{
    if (!grow(counts)) {
        counts->full = true;
        return;
    }
    struct live_spot *place = spot_of(counts->spots, counts->size, spot->address, spot->cr3);
    if (place->branches == 0) {
        *place = *spot;
        counts->used++;
        return;
    }
    place->branches += spot->branches;
    place->at = spot->at;
    place->cpu = spot->cpu;
}

void live_counts_put_run(struct live_counts *counts, const struct live_run *run)
{
    struct live_run *last = counts->nr_runs ? &counts->runs[counts->nr_runs - 1] : NULL;
    if (last && last->cr3 == run->cr3 && last->at == run->at && last->cpu == run->cpu) {
        last->branches += run->branches;
        last->user |= run->user;
        return;
    }
    struct live_run *place = list_add((void **)&counts->runs, &counts->nr_runs, &counts->runs_room, sizeof(*place));
    if (place)
        *place = *run;
    else
        counts->full = true;
}

static void note_times(struct live_counts *counts, const struct live_step *step)
{
    if (step->tsc && (!counts->first_tsc || step->tsc < counts->first_tsc))
        counts->first_tsc = step->tsc;
    if (step->tsc > counts->last_tsc)
        counts->last_tsc = step->tsc;
    if (step->enters_user && !counts->user_known) {
        counts->user_known = true;
        counts->user_tsc = step->tsc;
        counts->user_after = counts->branches;
    }
}

static void keep(struct live_counts *counts, uint16_t cpu, const struct live_step *step, uint64_t begin)
{
    const bool kernel = is_kernel(step->address);
    note_times(counts, step);
    live_counts_put_spot(counts, &(struct live_spot){.address = step->address,
                                                     .cr3 = kernel ? 0 : step->cr3,
                                                     .branches = step->branches,
                                                     .at = step->at,
                                                     .tsc = step->tsc,
                                                     .after = counts->branches,
                                                     .cpu = cpu});
    live_counts_put_run(counts, &(struct live_run){step->cr3, begin, step->branches, cpu, !kernel});
    counts->branches += step->branches;
}

/* A run has one offset, though the code may change within the stretch: that of its first transfer. */
void live_counts_settle(struct live_counts *counts, uint16_t cpu, bool kept)
{
    uint64_t begin = 0;
    for (size_t i = 0; kept && i < counts->nr_steps; i++) {
        const struct live_step *step = &counts->steps[i];
        if (i == 0 || step->cr3 != counts->steps[i - 1].cr3)
            begin = step->at;
        keep(counts, cpu, step, begin);
    }
    counts->nr_steps = 0;
}

void live_counts_replace(struct live_counts *counts, struct live_counts *rest)
{
    free(counts->spots);
    free(counts->runs);
    counts->spots = rest->spots;
    counts->size = rest->size;
    counts->used = rest->used;
    counts->runs = rest->runs;
    counts->nr_runs = rest->nr_runs;
    counts->runs_room = rest->runs_room;
    counts->full |= rest->full;
    *rest = (struct live_counts){0};
}

void live_counts_free(struct live_counts *counts)
{
    free(counts->spots);
    free(counts->runs);
    free(counts->steps);
    *counts = (struct live_counts){0};
}
