/* Kind: core, hot */
/*
 * The drain plan: see pt/output/plan.h.
 */
#include "pt/output/plan.h"
#include "pt/rtit.h"

bool plan_is_stopped(const struct plan_snapshot *snapshot)
{
    return (snapshot->rtit_status & RTIT_STATUS_STOPPED) != 0;
}

uint64_t plan_stays_stopped(const struct plan_drain *drain, const struct plan_snapshot *snapshot)
{
    return drain->gap == PLAN_NO_GAP && snapshot->trace_stop ? snapshot->rtit_status & RTIT_STATUS_STOPPED : 0;
}

struct plan_drain plan_drain(struct region_ring *ring, const struct plan_snapshot *snapshot)
{
    struct plan_drain plan = {.gap = PLAN_NO_GAP};
    bool stopped = plan_is_stopped(snapshot);
    bool error = (snapshot->rtit_status & RTIT_STATUS_ERROR) != 0;
    struct topa_ptrs ptrs = topa_ptrs_unpack(snapshot->output_base, snapshot->output_mask_ptrs);

    /* Bytes up to plausible pointers are valid even if an error came after them. Everything after the error or after
     * the last plausible pointers is lost, and its size is unknown. */
    bool plausible = region_ring_update(ring, ptrs, stopped);
    if (error || !plausible)
        plan.gap = PLAN_GAP_ERROR;
    else if (stopped && (ring->written == ring->limit || !snapshot->trace_stop))
        plan.gap = PLAN_GAP_STOPPED;
    plan.gap_at = ring->written;
    plan.submit_from = ring->submitted;
    plan.submit_end = snapshot->all ? ring->written : region_ring_whole_end(ring);
    return plan;
}

struct plan_rearm plan_rearm(struct region_ring *ring, const struct plan_drain *drain,
                             const struct plan_snapshot *snapshot, uint64_t released)
{
    struct plan_rearm plan = {.canary = CANARY_NONE};
    const uint32_t old_stop = ring->stop_slot;

    region_ring_release(ring, released);
    if (!region_ring_arm(ring)) {
        plan.stall = true;
        return plan;
    }
    const uint32_t new_stop = ring->stop_slot;
    if (new_stop != old_stop) {
        plan.nr_entries = 2;
        plan.entries[0].index = old_stop;
        plan.entries[0].value = region_ring_entry_without_stop(ring, old_stop);
        plan.entries[1].index = new_stop;
        plan.entries[1].value = region_ring_entry_without_stop(ring, new_stop) | TOPA_STOP;
    }
    /* After an error the table itself may be wrong. */
    plan.rewrite_table = drain->gap == PLAN_GAP_ERROR;
    struct topa_ptrs ptrs = region_ring_ptrs(ring);
    plan.output_base = ptrs.table_pa;
    plan.output_mask_ptrs = topa_ptrs_pack(ptrs);
    plan.write_ptrs = snapshot->output_base != plan.output_base || snapshot->output_mask_ptrs != plan.output_mask_ptrs;
    plan.rtit_status = plan_stays_stopped(drain, snapshot);
    return plan;
}
