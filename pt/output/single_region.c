/* Kind: core, hot */
/* Single-output-region ToPA: see pt/output/single_region.h. */
#include "pt/output/single_region.h"
#include "pt/rtit.h"

struct single_region single_region_make(uint64_t table_pa, uint64_t regions_pa, uint32_t region_bytes,
                                        uint32_t nr_regions, bool stop, bool mentry)
{
    const uint32_t parts = mentry && region_bytes > TOPA_MIN_REGION_BYTES ? 2 : 1, part_bytes = region_bytes / parts;

    return (struct single_region){.table_pa = table_pa,
                                  .regions_pa = regions_pa,
                                  .nr_regions = nr_regions,
                                  .region_bytes = region_bytes,
                                  .parts = parts,
                                  .part_bytes = part_bytes,
                                  .entry_bits = (uint64_t)topa_size_code(part_bytes) << TOPA_SIZE_SHIFT | TOPA_INT,
                                  .stop = stop};
}

static uint64_t armed_offset(const struct single_region *single)
{
    return (uint64_t)single->armed * single->region_bytes;
}

uint64_t single_region_entry(const struct single_region *single, uint32_t slot)
{
    if (slot == single->parts)
        return single->table_pa | TOPA_END;
    uint64_t entry = single->regions_pa + armed_offset(single) + slot * single->part_bytes + single->entry_bits;
    return single->stop && slot + 1 == single->parts ? entry | TOPA_STOP : entry;
}

uint64_t single_region_canary(const struct single_region *single)
{
    return single->stop ? CANARY_NONE : armed_offset(single) + single->region_bytes - CANARY_BYTES;
}

struct topa_ptrs single_region_ptrs(const struct single_region *single)
{
    uint32_t used = (uint32_t)(single->written - single->start);
    return (struct topa_ptrs){
        .table_pa = single->table_pa, .index = used / single->part_bytes, .offset = used % single->part_bytes};
}

enum single_region_result single_region_update(struct single_region *single, const struct plan_snapshot *snapshot)
{
    struct topa_ptrs ptrs = topa_ptrs_unpack(snapshot->output_base, snapshot->output_mask_ptrs);
    uint64_t used = single->written - single->start;
    uint32_t bytes = single->part_bytes;
    if (single->spent)
        return SINGLE_REGION_UPDATED; /* written includes what the pointers say */
    if (ptrs.table_pa != single->table_pa || ptrs.index > single->parts || ptrs.offset > bytes)
        return SINGLE_REGION_IMPOSSIBLE;
    bool end = ptrs.index == single->parts;
    uint64_t offset = (uint64_t)ptrs.index * bytes + ptrs.offset;
    if (end && ptrs.offset != 0)
        return SINGLE_REGION_IMPOSSIBLE; /* END has no region to write to */
    if (single->stop && (end || offset < used))
        return SINGLE_REGION_IMPOSSIBLE; /* STOP lets no byte past it */
    /* Exactly at the end, the number of wraps is unknown. */
    if (!single->stop && (offset == single->region_bytes || offset < used ||
                          !canary_agrees(snapshot->canary_left, single->region_bytes - offset)))
        return SINGLE_REGION_WRAPPED;
    single->written = single->start + offset;
    return SINGLE_REGION_UPDATED;
}

bool single_region_filled(const struct single_region *single, uint64_t output_mask_ptrs)
{
    struct topa_ptrs now = topa_ptrs_unpack(single->table_pa, output_mask_ptrs);
    return now.index != 0 || now.offset >= single->region_bytes - single->region_bytes / 8;
}

struct plan_drain single_region_drain(struct single_region *single, const struct plan_snapshot *snapshot)
{
    struct plan_drain plan = {.gap = PLAN_NO_GAP, .submit_from = single->submitted, .submit_end = single->submitted};
    if (single->spent)
        return plan;
    enum single_region_result result = single_region_update(single, snapshot);
    uint64_t used = single->written - single->start;
    bool stopped = plan_is_stopped(snapshot);

    plan.gap_at = single->written;
    if (result == SINGLE_REGION_IMPOSSIBLE || snapshot->rtit_status & RTIT_STATUS_ERROR) {
        plan.gap = PLAN_GAP_ERROR;
    } else if (result == SINGLE_REGION_WRAPPED) {
        /* Records mention offsets up to written, so those stay, and the gap covers their bytes. */
        plan.gap = PLAN_GAP_OVERRUN;
        plan.gap_at = single->start;
        plan.gap_size = used;
    } else if (stopped && (used == single->region_bytes || !snapshot->trace_stop)) {
        plan.gap = PLAN_GAP_STOPPED;
    }
    /* The PMI comes before the region is full; how long before is model-specific. It comes once for each region. */
    single->spent = snapshot->all || used >= single->region_bytes / 2 || plan.gap != PLAN_NO_GAP;
    if (single->spent)
        plan.submit_end = single->ends[single->armed] = single->written;
    return plan;
}

/* Stream offset of the end of a region's bytes. */
static uint64_t end_of(const struct single_region *single, uint32_t region)
{
    return region == single->armed ? single->written : single->ends[region];
}

bool single_region_next_span(struct single_region *single, uint64_t end, struct region_span *span)
{
    if (single->submitted >= end)
        return false;
    /* Find the oldest region with bytes to submit. Except in the armed region they begin at the region's start. */
    uint32_t region = single->armed;
    do
        region = region + 1 < single->nr_regions ? region + 1 : 0;
    while (end_of(single, region) <= single->submitted);
    if (end > end_of(single, region))
        end = end_of(single, region);
    span->offset = single->submitted;
    span->memory_offset =
        (uint64_t)region * single->region_bytes + (region == single->armed ? single->submitted - single->start : 0);
    span->size = (uint32_t)(end - single->submitted);
    single->submitted = end;
    return true;
}

static uint32_t next_region(const struct single_region *single)
{
    if (single->written == single->start)
        return single->armed; /* it is still empty */
    return single->armed + 1 < single->nr_regions ? single->armed + 1 : 0;
}

void single_region_drop_oldest(struct single_region *single)
{
    uint64_t end = single->ends[next_region(single)];
    if (single->spent && single->released == single->submitted && end > single->submitted && end < single->written)
        single->submitted = single->released = end;
}

struct plan_rearm single_region_rearm(struct single_region *single, const struct plan_drain *drain,
                                      const struct plan_snapshot *snapshot, uint64_t released)
{
    struct plan_rearm plan = {.canary = CANARY_NONE};
    if (released > single->released && released <= single->submitted)
        single->released = released;
    if (single->spent) {
        uint32_t next = next_region(single);
        if (next != single->armed && single->ends[next] > single->released) {
            plan.stall = true;
            return plan;
        }
        single->armed = next;
        single->start = single->written;
        single->spent = false;
        plan.nr_entries = single->parts;
        for (uint32_t slot = 0; slot < single->parts; slot++) {
            plan.entries[slot].index = slot;
            plan.entries[slot].value = single_region_entry(single, slot);
        }
        plan.canary = single_region_canary(single);
    }
    plan.rewrite_table = drain->gap == PLAN_GAP_ERROR;
    plan.output_base = single->table_pa;
    plan.output_mask_ptrs = topa_ptrs_pack(single_region_ptrs(single));
    plan.write_ptrs = snapshot->output_base != plan.output_base || snapshot->output_mask_ptrs != plan.output_mask_ptrs;
    plan.rtit_status = plan_stays_stopped(drain, snapshot);
    return plan;
}
