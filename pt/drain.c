/* Kind: shell, hot */
/*
 * Drains: read the registers, make the plan, carry it out. The scheme makes the plan: pt/output/plan.c,
 * pt/output/single_region.c or pt/output/single_range.c.
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
    pt->offset_current = true;
}

/* Bytes before from were never submitted: the flight recorder has dropped them, or a single range has wrapped over
 * them. Report that before the bytes that follow. */
static void report_forgotten(struct pt_engine *pt, uint64_t from)
{
    if (from == pt->submitted_end)
        return;
    pt->totals.forgotten++;
    struct record_gap record = {.at = pt->submitted_end, .size = from - pt->submitted_end, .cause = RECORD_GAP_RING};
    pt_record(pt, RECORD_GAP, &record, sizeof(record), NULL, 0);
}

static void submit_planned(struct pt_engine *pt, const struct drain *drain)
{
    struct region_span span;
    if (drain->plan.submit_end == pt->submitted_end)
        return;
    report_forgotten(pt, drain->plan.submit_from);
    pt_canary_lift(pt);
    for (uint64_t at = drain->plan.submit_from; at != drain->plan.submit_end; at = span.offset + span.size) {
        if (!pt->out.scheme->next_span(&pt->out, drain->plan.submit_end, &span))
            break;
        sink_trace(pt->sink, pt->cpu, span.offset, (const uint8_t *)pt->regions.va + span.memory_offset,
                   pt->regions.pa + span.memory_offset, span.size);
    }
    pt->submitted_end = drain->plan.submit_end;
    pt->unsent_tsc = drain->begun_tsc; /* the rest was written since the PMI, by its skid */
    struct record_drain record = {
        .from = drain->plan.submit_from,
        .size = drain->plan.submit_end - drain->plan.submit_from,
        .cause = drain->cause,
        .rtit_status = (uint32_t)drain->snapshot.rtit_status,
    };
    pt_record(pt, RECORD_DRAIN, &record, sizeof(record), NULL, 0);
}

void drain_submit(struct pt_engine *pt, struct drain *drain)
{
    if (drain->snapshot.all || pt->policy != PT_POLICY_RING)
        submit_planned(pt, drain);
    pt_gap(pt, drain);
    if (drain->cause == RECORD_DRAIN_PMI && drain->plan.submit_end == drain->plan.submit_from)
        pt->totals.spurious_pmis++;
    pt_poll(pt);
}

bool drain_rearm(struct pt_engine *pt, const struct drain *drain)
{
    if (pt->policy == PT_POLICY_RING && pt->out.scheme->drop_oldest)
        pt->out.scheme->drop_oldest(&pt->out);
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
    drain_submit(pt, &drain);
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

void drain_suspend(struct pt_engine *pt)
{
    struct drain drain;
    drain_read(pt, &drain, RECORD_DRAIN_POLL);
    drain_submit(pt, &drain);
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
        return; /* the pause began before the CPU was parked, and is still on */
    pt->pause.on = false;
    drain.begun_tsc = tsc_read();
    if (pt->pause.unreported)
        drain_submit(pt, &drain);
    drain_finish(pt, &drain);
}

void drain_all(struct pt_engine *pt)
{
    struct drain drain;
    if (pt->channel_cut) /* the sink accepts nothing any more */
        return;
    if (pt->pause.on) { /* the registers were read when the pause began, and have not changed */
        drain = pt->pause.drain;
        drain.cause = RECORD_DRAIN_FLUSH;
        drain.plan.submit_from = pt->out.submitted;
        drain.plan.submit_end = pt->out.written;
        submit_planned(pt, &drain);
        if (pt->pause.unreported)
            pt_gap(pt, &drain);
        pt->pause.unreported = false;
        return;
    }
    drain_read(pt, &drain, RECORD_DRAIN_FLUSH);
    drain_submit(pt, &drain);
    drain_finish(pt, &drain);
}
