/*
 * The drain: read the registers, ask the plan, do what it says. Shell; the decisions are in the scheme's core:
 * pt/plan.c, pt/single.c or pt/range.c.
 *
 * Source: SDM "ToPA PMI" (36.2.6.2), "Disabling Packet Generation" (36.2.7.3 and 36.3.2.2), "Flushing Trace Output"
 * (36.3.3).
 */
#include "pt/engine_state.h"
#include "pt/msr.h"
#include "serial/command.h"

void pt_poll(struct pt_engine *pt)
{
    const struct command_box *box;
    pt->sink->ops->poll(pt->sink);
    box = pt->sink->ops->commands(pt->sink);
    pt->command_waits = box && command_waits(box);
    pt->unsent = false;
    pt->polled_tsc = tsc_read();
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

static void hand_over(struct pt_engine *pt, const struct drain *drain, enum record_drain_cause cause)
{
    struct region_span span;
    if (drain->plan.hand_end == pt->sent_end)
        return;
    report_forgotten(pt, drain->plan.hand_from);
    pt_canary_lift(pt);
    while (pt->out.scheme->hand_over(&pt->out, drain->plan.hand_end, &span))
        pt->sink->ops->trace(pt->sink, pt->cpu, span.offset, (const uint8_t *)pt->regions.va + span.place,
                             pt->regions.pa + span.place, span.size);
    pt->sent_end = drain->plan.hand_end;
    struct record_drain record = {
        .from = drain->plan.hand_from,
        .size = drain->plan.hand_end - drain->plan.hand_from,
        .cause = cause,
        .rtit_status = (uint32_t)drain->snapshot.rtit_status,
    };
    pt_record(pt, RECORD_DRAIN, &record, sizeof(record), NULL, 0);
}

static void drain_take(struct pt_engine *pt, struct drain *drain, bool all, enum record_drain_cause cause)
{
    drain->snapshot = pt_registers_read(pt, all);
    __asm__ volatile("mfence" : : : "memory");
    drain->plan = pt->out.scheme->drain(&pt->out, &drain->snapshot);
    pt->taken = true;
    if (all || pt->policy != PT_POLICY_RING)
        hand_over(pt, drain, cause);
    pt_gap(pt, &drain->plan, &drain->snapshot);
    if (cause == RECORD_DRAIN_PMI && drain->plan.hand_end == drain->plan.hand_from)
        pt->totals.spurious_pmis++;
    pt_poll(pt);
}

bool pt_rearm(struct pt_engine *pt, const struct drain *drain)
{
    if (pt->policy == PT_POLICY_RING && pt->out.scheme->forget)
        pt->out.scheme->forget(&pt->out);
    uint64_t released = pt->sink->ops->released(pt->sink, pt->cpu);
    struct plan_rearm plan = pt->out.scheme->rearm(&pt->out, &drain->plan, &drain->snapshot, released);
    if (plan.stall)
        return false;
    pt_registers_write(pt, &plan);
    pt->pmi_pending = false;
    pt->checked_tsc = tsc_read();
    return true;
}

void pt_drain(struct pt_engine *pt, enum record_drain_cause cause)
{
    uint64_t from = tsc_read();
    struct drain drain;
    drain_take(pt, &drain, false, cause);
    bool armed = pt_rearm(pt, &drain);
    pt->totals.drain_tsc += tsc_read() - from;
    if (!armed)
        pt_pause_begin(pt, &drain, RECORD_GAP_DROP);
}

void pt_drain_hold(struct pt_engine *pt)
{
    struct drain drain;
    drain_take(pt, &drain, false, RECORD_DRAIN_POLL);
    pt_pause_begin(pt, &drain, RECORD_GAP_COMMAND);
}

void pt_drain_all(struct pt_engine *pt)
{
    if (pt->pause.on) { /* the registers have been read, and have not changed */
        pt->pause.drain.plan.hand_from = pt->out.handed;
        pt->pause.drain.plan.hand_end = pt->out.written;
        hand_over(pt, &pt->pause.drain, RECORD_DRAIN_FLUSH);
        return;
    }
    struct drain drain;
    drain_take(pt, &drain, true, RECORD_DRAIN_FLUSH);
    if (!pt_rearm(pt, &drain))
        pt_pause_begin(pt, &drain, RECORD_GAP_DROP);
}
