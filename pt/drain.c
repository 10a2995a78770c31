/* Kind: shell, hot */
/*
 * The drain: read the registers, ask the plan, do what it says. Shell; the decisions are in the scheme's core:
 * pt/output/plan.c, pt/output/single_region.c or pt/output/single_range.c.
 *
 * Source: SDM "ToPA PMI" (36.2.6.2), "Disabling Packet Generation" (36.2.7.3 and 36.3.2.2), "Flushing Trace Output"
 * (36.3.3).
 */
#include "pt/drain.h"
#include "base/msr.h"

void drain_read(struct pt_engine *pt, struct drain *drain, enum record_drain_cause cause)
{
    drain->cause = cause;
    drain->begun_tsc = tsc_read();
    pt_registers_read(pt, cause == RECORD_DRAIN_FLUSH, &drain->snapshot);
    __asm__ volatile("mfence" : : : "memory");
    drain->plan = pt->out.scheme->drain(&pt->out, &drain->snapshot);
    pt->taken = true;
}

/* The flight recorder has forgotten what was not handed over in time, or a range's output went over it: say so before
 * what follows. */
static void report_forgotten(struct pt_engine *pt, uint64_t from)
{
    if (from == pt->sent_end)
        return;
    pt->totals.forgotten++;
    struct record_gap record = {.at = pt->sent_end, .size = from - pt->sent_end, .cause = RECORD_GAP_RING};
    pt_record(pt, RECORD_GAP, &record, sizeof(record), NULL, 0);
}

static void hand_over_planned(struct pt_engine *pt, const struct drain *drain)
{
    struct region_span span;
    if (drain->plan.hand_end == pt->sent_end)
        return;
    report_forgotten(pt, drain->plan.hand_from);
    pt_canary_lift(pt);
    for (uint64_t at = drain->plan.hand_from; at != drain->plan.hand_end; at = span.offset + span.size) {
        if (!pt->out.scheme->hand_over(&pt->out, drain->plan.hand_end, &span))
            break;
        sink_trace(pt->sink, pt->cpu, span.offset, (const uint8_t *)pt->regions.va + span.place,
                   pt->regions.pa + span.place, span.size);
    }
    pt->sent_end = drain->plan.hand_end;
    struct record_drain record = {
        .from = drain->plan.hand_from,
        .size = drain->plan.hand_end - drain->plan.hand_from,
        .cause = drain->cause,
        .rtit_status = (uint32_t)drain->snapshot.rtit_status,
    };
    pt_record(pt, RECORD_DRAIN, &record, sizeof(record), NULL, 0);
}

void drain_hand_over(struct pt_engine *pt, struct drain *drain)
{
    if (drain->snapshot.all || pt->policy != PT_POLICY_RING)
        hand_over_planned(pt, drain);
    pt_gap(pt, drain);
    if (drain->cause == RECORD_DRAIN_PMI && drain->plan.hand_end == drain->plan.hand_from)
        pt->totals.spurious_pmis++;
    pt_poll(pt);
}

bool drain_rearm(struct pt_engine *pt, const struct drain *drain)
{
    if (pt->policy == PT_POLICY_RING && pt->out.scheme->forget)
        pt->out.scheme->forget(&pt->out);
    uint64_t released = sink_released(pt->sink, pt->cpu);
    struct plan_rearm plan = pt->out.scheme->rearm(&pt->out, &drain->plan, &drain->snapshot, released);
    if (plan.stall)
        return false;
    pt_registers_write(pt, &plan);
    pt->drain_due = false;
    pt->checked_tsc = tsc_read();
    return true;
}

void drain_finish(struct pt_engine *pt, const struct drain *drain)
{
    const bool armed = drain_rearm(pt, drain);
    pt->totals.drain_tsc += (armed ? pt->checked_tsc : tsc_read()) - drain->begun_tsc;
    if (!armed)
        pt_pause_begin(pt, drain, RECORD_GAP_DROP);
}

static void drain_whole(struct pt_engine *pt, enum record_drain_cause cause)
{
    struct drain drain;
    drain_read(pt, &drain, cause);
    drain_hand_over(pt, &drain);
    drain_finish(pt, &drain);
}

void drain_poll(struct pt_engine *pt)
{
    drain_whole(pt, RECORD_DRAIN_POLL);
}

void drain_soft_pmi(struct pt_engine *pt)
{
    pt->soft.pmi = false;
    pt->totals.pmis++;
    drain_whole(pt, RECORD_DRAIN_PMI);
}

void drain_hold(struct pt_engine *pt)
{
    struct drain drain;
    drain_read(pt, &drain, RECORD_DRAIN_POLL);
    drain_hand_over(pt, &drain);
    pt_pause_begin(pt, &drain, RECORD_GAP_COMMAND);
}

void drain_park(struct pt_engine *pt)
{
    struct drain drain;
    drain_read(pt, &drain, RECORD_DRAIN_POLL);
    pt_pause_begin(pt, &drain, RECORD_GAP_DROP);
    pt->pause.parked = pt->pause.unreported = true;
}

void drain_unpark(struct pt_engine *pt)
{
    struct drain drain = pt->pause.drain;
    if (!pt->pause.on || !pt->pause.parked)
        return; /* paused before it was parked, and still */
    pt->pause.on = false;
    drain.begun_tsc = tsc_read();
    if (pt->pause.unreported)
        drain_hand_over(pt, &drain);
    drain_finish(pt, &drain);
}

void drain_all(struct pt_engine *pt)
{
    struct drain drain;
    if (pt->cut) /* nobody takes anything */
        return;
    if (pt->pause.on) { /* the registers have been read, and have not changed */
        drain = pt->pause.drain;
        drain.cause = RECORD_DRAIN_FLUSH;
        drain.plan.hand_from = pt->out.handed;
        drain.plan.hand_end = pt->out.written;
        hand_over_planned(pt, &drain);
        if (pt->pause.unreported)
            pt_gap(pt, &drain);
        pt->pause.unreported = false;
        return;
    }
    drain_read(pt, &drain, RECORD_DRAIN_FLUSH);
    drain_hand_over(pt, &drain);
    drain_finish(pt, &drain);
}
