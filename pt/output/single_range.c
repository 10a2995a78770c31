/* Kind: core, hot */
/* Single-range output. Core; see pt/output/single_range.h. */
#include "pt/output/single_range.h"
#include "pt/rtit.h"

/* Before the byte at this offset, as the hardware meets it when it has been round. */
static uint64_t canary_before(const struct single_range *range, uint64_t offset)
{
    return (offset + range->bytes) / CANARY_BYTES * CANARY_BYTES - CANARY_BYTES;
}

struct single_range single_range_make(uint64_t base_pa, uint64_t bytes)
{
    struct single_range range = {.base_pa = base_pa, .bytes = bytes};
    range.canary = canary_before(&range, 0);
    return range;
}

uint64_t single_range_canary(const struct single_range *range)
{
    return range->canary % range->bytes;
}

uint64_t single_range_mask_ptrs(const struct single_range *range)
{
    return range->written % range->bytes << 32 | (range->bytes - 1);
}

/* Bytes from the one at offset on to the place that the pointers name: less than once around. */
static uint64_t bytes_since(const struct single_range *range, uint64_t offset, uint64_t output_mask_ptrs)
{
    return ((output_mask_ptrs >> 32) - offset) & (range->bytes - 1);
}

bool single_range_due(const struct single_range *range, uint64_t output_mask_ptrs)
{
    return bytes_since(range, range->armed, output_mask_ptrs) >= range->bytes / 8;
}

static void keep_from(struct single_range *range, uint64_t offset)
{
    range->handed = range->released = offset;
}

/* Round at least once since the last look. Where the place lies behind the canary, maybe not even that: then only what
 * came since can be told from older bytes. */
static void take_lap(struct single_range *range, uint64_t place, uint64_t end)
{
    keep_from(range, place < end ? place : range->written);
    range->written = place < end ? place + range->bytes : place;
    range->lapped = true;
}

enum single_range_taken single_range_take(struct single_range *range, const struct plan_snapshot *snapshot)
{
    uint64_t mask = snapshot->output_mask_ptrs & 0xffffffff;
    if (snapshot->output_base != range->base_pa || mask != range->bytes - 1 ||
        snapshot->output_mask_ptrs >> 32 >= range->bytes)
        return snapshot->canary_left == CANARY_WORDS ? SINGLE_RANGE_IMPOSSIBLE : SINGLE_RANGE_WRAPPED;
    uint64_t place = range->written + bytes_since(range, range->written, snapshot->output_mask_ptrs);
    uint64_t end = range->canary + CANARY_BYTES;
    if (!range->lapped && (place >= end || !canary_agrees(snapshot->canary_left, end - place))) {
        if (range->circles)
            take_lap(range, place, end);
        return SINGLE_RANGE_WRAPPED;
    }
    range->written = place;
    if (range->circles && place - range->handed > range->bytes)
        keep_from(range, place - range->bytes);
    return SINGLE_RANGE_TAKEN;
}

struct plan_drain single_range_drain(struct single_range *range, const struct plan_snapshot *snapshot)
{
    enum single_range_taken taken = single_range_take(range, snapshot);
    bool error = taken == SINGLE_RANGE_IMPOSSIBLE || snapshot->rtit_status & RTIT_STATUS_ERROR;
    bool stopped = plan_is_stopped(snapshot);
    if (taken == SINGLE_RANGE_IMPOSSIBLE && range->circles)
        keep_from(range, range->written); /* nobody knows how much of what is oldest was written over */
    struct plan_drain plan = {.hand_from = range->handed, .hand_end = range->handed, .gap_at = range->written};

    if (range->lapped && !error) {
        plan.gap = PLAN_GAP_OVERRUN;
        plan.gap_at = range->handed;
    } else if (range->lapped || taken == SINGLE_RANGE_WRAPPED) {
        /* Bytes that were handed over may have been overwritten on their way. */
        plan.gap = PLAN_GAP_OVERRUN;
        plan.gap_at = range->released;
        plan.gap_size = range->written - range->released;
    } else if (error) {
        plan.gap = PLAN_GAP_ERROR;
    } else if (stopped && !snapshot->trace_stop) {
        plan.gap = PLAN_GAP_STOPPED;
    }
    if (snapshot->all || plan.gap != PLAN_NO_GAP || range->written - range->handed >= range->bytes / 8)
        plan.hand_end = range->written;
    return plan;
}

bool single_range_hand_over(struct single_range *range, uint64_t end, struct region_span *span)
{
    if (range->handed >= end)
        return false;
    span->offset = range->handed;
    span->place = range->handed % range->bytes;
    uint64_t size = end - range->handed;
    if (size > range->bytes - span->place)
        size = range->bytes - span->place;
    span->size = (uint32_t)size;
    range->handed += size;
    return true;
}

struct plan_rearm single_range_rearm(struct single_range *range, const struct plan_drain *drain,
                                     const struct plan_snapshot *snapshot, uint64_t released)
{
    struct plan_rearm plan = {.canary = CANARY_NOWHERE};
    if (released > range->released && released <= range->handed)
        range->released = released;
    range->circles = range->released == range->handed;
    if (!range->circles && range->written - range->released > range->bytes / 2) {
        plan.stall = true;
        return plan;
    }
    range->lapped = false;
    range->armed = range->written;
    range->canary = canary_before(range, range->circles ? range->written : range->released);
    plan.canary = single_range_canary(range);
    plan.output_base = range->base_pa;
    plan.output_mask_ptrs = single_range_mask_ptrs(range);
    plan.write_ptrs = snapshot->output_base != plan.output_base || snapshot->output_mask_ptrs != plan.output_mask_ptrs;
    plan.rtit_status = plan_stays_stopped(drain, snapshot);
    return plan;
}
