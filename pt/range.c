/* Single-range output. Core; see pt/range.h. */
#include "pt/range.h"
#include "pt/rtit.h"

/* Before the oldest unreleased byte, which stands where the byte at released + bytes would. */
static uint64_t canary_before(const struct range *range)
{
    return (range->released + range->bytes) / CANARY_BYTES * CANARY_BYTES - CANARY_BYTES;
}

struct range range_make(uint64_t base_pa, uint64_t bytes)
{
    struct range range = {.base_pa = base_pa, .bytes = bytes};
    range.canary = canary_before(&range);
    return range;
}

uint64_t range_canary(const struct range *range)
{
    return range->canary % range->bytes;
}

uint64_t range_mask_ptrs(const struct range *range)
{
    return range->written % range->bytes << 32 | (range->bytes - 1);
}

/* Bytes from the one at offset on to the place that the pointers name: less than once around. */
static uint64_t bytes_since(const struct range *range, uint64_t offset, uint64_t output_mask_ptrs)
{
    return ((output_mask_ptrs >> 32) - offset) & (range->bytes - 1);
}

bool range_due(const struct range *range, uint64_t output_mask_ptrs)
{
    return bytes_since(range, range->handed, output_mask_ptrs) >= range->bytes / 8;
}

enum range_taken range_take(struct range *range, const struct plan_snapshot *snapshot)
{
    uint64_t mask = snapshot->output_mask_ptrs & 0xffffffff;
    if (snapshot->output_base != range->base_pa || mask != range->bytes - 1 ||
        snapshot->output_mask_ptrs >> 32 >= range->bytes)
        return snapshot->canary_left == CANARY_WORDS ? RANGE_IMPOSSIBLE : RANGE_WRAPPED;
    uint64_t place = range->written + bytes_since(range, range->written, snapshot->output_mask_ptrs);
    uint64_t end = range->canary + CANARY_BYTES;
    if (place >= end || !canary_agrees(snapshot->canary_left, end - place))
        return RANGE_WRAPPED;
    range->written = place;
    return RANGE_TAKEN;
}

struct plan_drain range_drain(struct range *range, const struct plan_snapshot *snapshot)
{
    enum range_taken taken = range_take(range, snapshot);
    struct plan_drain plan = {.hand_from = range->handed, .hand_end = range->handed, .gap_at = range->written};
    bool stopped = plan_is_stopped(snapshot);

    if (taken == RANGE_WRAPPED) {
        /* Bytes that were handed over may have been overwritten on their way. */
        plan.gap = PLAN_GAP_OVERRUN;
        plan.gap_at = range->released;
        plan.gap_size = range->written - range->released;
    } else if (taken == RANGE_IMPOSSIBLE || snapshot->rtit_status & RTIT_STATUS_ERROR) {
        plan.gap = PLAN_GAP_ERROR;
    } else if (stopped && !snapshot->trace_stop) {
        plan.gap = PLAN_GAP_STOPPED;
    }
    if (snapshot->all || plan.gap != PLAN_NO_GAP || range->written - range->handed >= range->bytes / 8)
        plan.hand_end = range->written;
    return plan;
}

bool range_hand_over(struct range *range, uint64_t end, struct ring_span *span)
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

struct plan_rearm range_rearm(struct range *range, const struct plan_drain *drain, const struct plan_snapshot *snapshot,
                              uint64_t released)
{
    struct plan_rearm plan = {.canary = CANARY_NOWHERE};
    if (released > range->released && released <= range->handed)
        range->released = released;
    if (range->written - range->released > range->bytes / 2) {
        plan.stall = true;
        return plan;
    }
    range->canary = canary_before(range);
    plan.canary = range_canary(range);
    plan.output_base = range->base_pa;
    plan.output_mask_ptrs = range_mask_ptrs(range);
    plan.write_ptrs = snapshot->output_base != plan.output_base || snapshot->output_mask_ptrs != plan.output_mask_ptrs;
    plan.rtit_status = plan_stays_stopped(drain, snapshot);
    return plan;
}
