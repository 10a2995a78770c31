/* Kind: core, hot */
/* Single-range output: see pt/output/single_range.h. */
#include "pt/output/single_range.h"
#include "pt/rtit.h"

/* Stream offset of the canary that precedes the byte at this offset: output that wraps reaches it first. */
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

/* Bytes from stream offset to the output pointer, assuming that output has not wrapped since. */
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
    range->submitted = range->released = offset;
}

/* The canary is gone: output has wrapped at least once since the last update. position: the stream offset of the output
 * pointer without wrapping. If it is past the canary's end, output may not have wrapped, and only the bytes since the
 * last update are known to be newer than the rest. */
static void update_wrapped(struct single_range *range, uint64_t position, uint64_t end)
{
    keep_from(range, position < end ? position : range->written);
    range->written = position < end ? position + range->bytes : position;
    range->wrapped = true;
}

enum single_range_result single_range_update(struct single_range *range, const struct plan_snapshot *snapshot)
{
    uint64_t mask = snapshot->output_mask_ptrs & 0xffffffff;
    if (snapshot->output_base != range->base_pa || mask != range->bytes - 1 ||
        snapshot->output_mask_ptrs >> 32 >= range->bytes)
        return snapshot->canary_left == CANARY_WORDS ? SINGLE_RANGE_IMPOSSIBLE : SINGLE_RANGE_WRAPPED;
    uint64_t position = range->written + bytes_since(range, range->written, snapshot->output_mask_ptrs);
    uint64_t end = range->canary + CANARY_BYTES;
    if (!range->wrapped && (position >= end || !canary_agrees(snapshot->canary_left, end - position))) {
        if (range->circular)
            update_wrapped(range, position, end);
        return SINGLE_RANGE_WRAPPED;
    }
    range->written = position;
    if (range->circular && position - range->submitted > range->bytes)
        keep_from(range, position - range->bytes);
    return SINGLE_RANGE_UPDATED;
}

struct plan_drain single_range_drain(struct single_range *range, const struct plan_snapshot *snapshot)
{
    enum single_range_result result = single_range_update(range, snapshot);
    bool error = result == SINGLE_RANGE_IMPOSSIBLE || snapshot->rtit_status & RTIT_STATUS_ERROR;
    bool stopped = plan_is_stopped(snapshot);
    if (result == SINGLE_RANGE_IMPOSSIBLE && range->circular)
        keep_from(range, range->written); /* an unknown part of the oldest bytes was overwritten */
    struct plan_drain plan = {
        .submit_from = range->submitted, .submit_end = range->submitted, .gap_at = range->written};

    if (range->wrapped && !error) {
        plan.gap = PLAN_GAP_OVERRUN;
        plan.gap_at = range->submitted;
    } else if (range->wrapped || result == SINGLE_RANGE_WRAPPED) {
        /* Submitted bytes may have been overwritten before they were sent. */
        plan.gap = PLAN_GAP_OVERRUN;
        plan.gap_at = range->released;
        plan.gap_size = range->written - range->released;
    } else if (error) {
        plan.gap = PLAN_GAP_ERROR;
    } else if (stopped && !snapshot->trace_stop) {
        plan.gap = PLAN_GAP_STOPPED;
    }
    if (snapshot->all || plan.gap != PLAN_NO_GAP || range->written - range->submitted >= range->bytes / 8)
        plan.submit_end = range->written;
    return plan;
}

bool single_range_next_span(struct single_range *range, uint64_t end, struct region_span *span)
{
    if (range->submitted >= end)
        return false;
    span->offset = range->submitted;
    span->memory_offset = range->submitted % range->bytes;
    uint64_t size = end - range->submitted;
    if (size > range->bytes - span->memory_offset)
        size = range->bytes - span->memory_offset;
    span->size = (uint32_t)size;
    range->submitted += size;
    return true;
}

struct plan_rearm single_range_rearm(struct single_range *range, const struct plan_drain *drain,
                                     const struct plan_snapshot *snapshot, uint64_t released)
{
    struct plan_rearm plan = {.canary = CANARY_NONE};
    if (released > range->released && released <= range->submitted)
        range->released = released;
    range->circular = range->released == range->submitted;
    if (!range->circular && range->written - range->released > range->bytes / 2) {
        plan.stall = true;
        return plan;
    }
    range->wrapped = false;
    range->armed = range->written;
    range->canary = canary_before(range, range->circular ? range->written : range->released);
    plan.canary = single_range_canary(range);
    plan.output_base = range->base_pa;
    plan.output_mask_ptrs = single_range_mask_ptrs(range);
    plan.write_ptrs = snapshot->output_base != plan.output_base || snapshot->output_mask_ptrs != plan.output_mask_ptrs;
    plan.rtit_status = plan_stays_stopped(drain, snapshot);
    return plan;
}
