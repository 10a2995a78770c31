/* Single-output-region ToPA. Core; see pt/lone.h. */
#include "pt/lone.h"
#include "pt/rtit.h"

struct lone lone_make(uint64_t table_pa, uint64_t regions_pa, uint32_t region_bytes, uint32_t nr_regions, bool stop,
                      bool mentry)
{
    return (struct lone){.table_pa = table_pa,
                         .regions_pa = regions_pa,
                         .nr_regions = nr_regions,
                         .region_bytes = region_bytes,
                         .parts = mentry && region_bytes > TOPA_MIN_REGION_BYTES ? 2 : 1,
                         .stop = stop};
}

static uint64_t place_of_armed(const struct lone *lone)
{
    return (uint64_t)lone->armed * lone->region_bytes;
}

uint64_t lone_entry(const struct lone *lone, uint32_t slot)
{
    if (slot == lone->parts)
        return lone->table_pa | TOPA_END;
    uint32_t bytes = lone->region_bytes / lone->parts;
    uint64_t entry = lone->regions_pa + place_of_armed(lone) + slot * bytes;
    entry |= (uint64_t)topa_size_code(bytes) << TOPA_SIZE_SHIFT | TOPA_INT;
    return lone->stop && slot + 1 == lone->parts ? entry | TOPA_STOP : entry;
}

uint64_t lone_canary(const struct lone *lone)
{
    return lone->stop ? CANARY_NOWHERE : place_of_armed(lone) + lone->region_bytes - CANARY_BYTES;
}

struct topa_ptrs lone_ptrs(const struct lone *lone)
{
    uint32_t bytes = lone->region_bytes / lone->parts, used = (uint32_t)(lone->written - lone->start);
    return (struct topa_ptrs){.table_pa = lone->table_pa, .index = used / bytes, .offset = used % bytes};
}

enum lone_taken lone_take(struct lone *lone, const struct plan_snapshot *snapshot)
{
    struct topa_ptrs ptrs = topa_ptrs_unpack(snapshot->output_base, snapshot->output_mask_ptrs);
    uint64_t used = lone->written - lone->start;
    uint32_t bytes = lone->region_bytes / lone->parts;
    if (lone->spent)
        return LONE_TAKEN; /* what the pointers say is known */
    if (ptrs.table_pa != lone->table_pa || ptrs.index > lone->parts || ptrs.offset > bytes)
        return LONE_IMPOSSIBLE;
    bool end = ptrs.index == lone->parts;
    uint64_t place = (uint64_t)ptrs.index * bytes + ptrs.offset;
    if (end && ptrs.offset != 0)
        return LONE_IMPOSSIBLE; /* END has no bytes of its own */
    if (lone->stop && (end || place < used))
        return LONE_IMPOSSIBLE; /* not past STOP */
    /* At the end, to the byte, it is no longer known how often. */
    if (!lone->stop && (place == lone->region_bytes || place < used ||
                        !canary_agrees(snapshot->canary_left, lone->region_bytes - place)))
        return LONE_WRAPPED;
    lone->written = lone->start + place;
    return LONE_TAKEN;
}

bool lone_filled(const struct lone *lone, uint64_t output_mask_ptrs)
{
    struct topa_ptrs now = topa_ptrs_unpack(lone->table_pa, output_mask_ptrs);
    return now.index != 0 || now.offset >= lone->region_bytes - lone->region_bytes / 8;
}

struct plan_drain lone_drain(struct lone *lone, const struct plan_snapshot *snapshot)
{
    struct plan_drain plan = {.gap = PLAN_NO_GAP, .hand_from = lone->handed, .hand_end = lone->handed};
    if (lone->spent)
        return plan;
    enum lone_taken taken = lone_take(lone, snapshot);
    uint64_t used = lone->written - lone->start;
    bool stopped = plan_is_stopped(snapshot);

    plan.gap_at = lone->written;
    if (taken == LONE_IMPOSSIBLE || snapshot->rtit_status & RTIT_STATUS_ERROR) {
        plan.gap = PLAN_GAP_ERROR;
    } else if (taken == LONE_WRAPPED) {
        /* Offsets up to written were told to records and stay: the bytes there are void. */
        plan.gap = PLAN_GAP_OVERRUN;
        plan.gap_at = lone->start;
        plan.gap_size = used;
    } else if (stopped && (used == lone->region_bytes || !snapshot->trace_stop)) {
        plan.gap = PLAN_GAP_STOPPED;
    }
    /* The PMI comes early, and nobody says how early; it would not come again for the same region. */
    lone->spent = snapshot->all || used >= lone->region_bytes / 2 || plan.gap != PLAN_NO_GAP;
    if (lone->spent)
        plan.hand_end = lone->ends[lone->armed] = lone->written;
    return plan;
}

/* A region's bytes in the stream end there. */
static uint64_t end_of(const struct lone *lone, uint32_t region)
{
    return region == lone->armed ? lone->written : lone->ends[region];
}

bool lone_hand_over(struct lone *lone, uint64_t end, struct ring_span *span)
{
    if (lone->handed >= end)
        return false;
    /* From the oldest on. What is handed over begins where a region does, but for the armed one. */
    uint32_t region = lone->armed;
    do
        region = region + 1 < lone->nr_regions ? region + 1 : 0;
    while (end_of(lone, region) <= lone->handed);
    if (end > end_of(lone, region))
        end = end_of(lone, region);
    span->offset = lone->handed;
    span->place = (uint64_t)region * lone->region_bytes + (region == lone->armed ? lone->handed - lone->start : 0);
    span->size = (uint32_t)(end - lone->handed);
    lone->handed = end;
    return true;
}

static uint32_t next_region(const struct lone *lone)
{
    if (lone->written == lone->start)
        return lone->armed; /* nothing of it was handed over */
    return lone->armed + 1 < lone->nr_regions ? lone->armed + 1 : 0;
}

void lone_forget(struct lone *lone)
{
    uint64_t end = lone->ends[next_region(lone)];
    if (lone->spent && lone->released == lone->handed && end > lone->handed && end < lone->written)
        lone->handed = lone->released = end;
}

struct plan_rearm lone_rearm(struct lone *lone, const struct plan_drain *drain, const struct plan_snapshot *snapshot,
                             uint64_t released)
{
    struct plan_rearm plan = {.canary = CANARY_NOWHERE};
    if (released > lone->released && released <= lone->handed)
        lone->released = released;
    if (lone->spent) {
        uint32_t next = next_region(lone);
        if (next != lone->armed && lone->ends[next] > lone->released) {
            plan.stall = true;
            return plan;
        }
        lone->armed = next;
        lone->start = lone->written;
        lone->spent = false;
        plan.nr_entries = lone->parts;
        for (uint32_t slot = 0; slot < lone->parts; slot++) {
            plan.entries[slot].index = slot;
            plan.entries[slot].value = lone_entry(lone, slot);
        }
        plan.canary = lone_canary(lone);
    }
    plan.rewrite_table = drain->gap == PLAN_GAP_ERROR;
    plan.output_base = lone->table_pa;
    plan.output_mask_ptrs = topa_ptrs_pack(lone_ptrs(lone));
    plan.write_ptrs = snapshot->output_base != plan.output_base || snapshot->output_mask_ptrs != plan.output_mask_ptrs;
    plan.rtit_status = plan_stays_stopped(drain, snapshot);
    return plan;
}
