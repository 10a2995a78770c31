/*
 * The drain: read the registers, ask the plan, do what it says. Shell; the decisions are in pt/plan.c.
 *
 * Source: SDM "ToPA PMI" (36.2.6.2), "Disabling Packet Generation" (36.2.7.3 and 36.3.2.2), "Flushing Trace Output"
 * (36.3.3).
 */
#include "pt/cpu.h"
#include "pt/msr.h"
#include "pt/plan.h"
#include "pt/rtit.h"

void pt_poll(struct pt_cpu *pt)
{
    pt->sink->ops->poll(pt->sink);
    pt->polled_tsc = tsc_read();
}

static struct plan_snapshot snapshot_read(bool all)
{
    struct plan_snapshot snapshot = {
        .rtit_status = msr_read(IA32_RTIT_STATUS),
        .output_base = msr_read(IA32_RTIT_OUTPUT_BASE),
        .output_mask_ptrs = msr_read(IA32_RTIT_OUTPUT_MASK_PTRS),
        .all = all,
    };
    /* Clearing TraceEn flushes the packets, but only a fence makes them visible to others, the NIC's DMA among them. */
    __asm__ volatile("mfence" : : : "memory");
    return snapshot;
}

/* Policy ring has forgotten what was not handed over in time: say so before what follows. */
static void report_forgotten(struct pt_cpu *pt, uint64_t from)
{
    if (from == pt->sent_end)
        return;
    pt->totals.forgotten++;
    struct record_gap record = {.at = pt->sent_end, .size = from - pt->sent_end, .cause = RECORD_GAP_RING};
    pt_record(pt, RECORD_GAP, &record, sizeof(record), NULL, 0);
}

static void hand_over(struct pt_cpu *pt, const struct drain *drain, enum record_drain_cause cause)
{
    struct ring_span span;
    if (drain->plan.hand_end == drain->plan.hand_from)
        return;
    report_forgotten(pt, drain->plan.hand_from);
    while (ring_hand_over(&pt->ring, drain->plan.hand_end, &span))
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

static void report_gap(struct pt_cpu *pt, const struct plan_drain *plan)
{
    if (plan->gap == PLAN_NO_GAP)
        return;
    bool stopped = plan->gap == PLAN_GAP_STOPPED;
    if (stopped)
        pt->totals.stopped++;
    else
        pt->totals.errors++;
    struct record_gap record = {
        .at = plan->gap_at,
        .tsc_from = pt->entered_tsc,
        .tsc_to = tsc_read(),
        .cause = stopped ? RECORD_GAP_STOPPED : RECORD_GAP_ERROR,
    };
    pt_record(pt, RECORD_GAP, &record, sizeof(record), NULL, 0);
}

static struct drain drain_take(struct pt_cpu *pt, bool all, enum record_drain_cause cause)
{
    struct drain drain;
    drain.snapshot = snapshot_read(all);
    drain.plan = plan_drain(&pt->ring, &drain.snapshot);
    if (all || pt->policy != PT_POLICY_RING)
        hand_over(pt, &drain, cause);
    report_gap(pt, &drain.plan);
    if (cause == RECORD_DRAIN_PMI && drain.plan.hand_end == drain.plan.hand_from)
        pt->totals.spurious_pmis++;
    pt_poll(pt);
    return drain;
}

bool pt_rearm(struct pt_cpu *pt, const struct drain *drain)
{
    if (pt->policy == PT_POLICY_RING)
        ring_forget(&pt->ring);
    uint64_t released = pt->sink->ops->released(pt->sink, pt->cpu);
    struct plan_rearm plan = plan_rearm(&pt->ring, &drain->plan, &drain->snapshot, released);
    if (plan.stall)
        return false;
    if (plan.rewrite_table) {
        for (uint32_t i = 0; i <= pt->ring.nr_regions; i++)
            pt->table[i] = ring_entry(&pt->ring, i);
    } else {
        for (uint32_t i = 0; i < plan.nr_entries; i++)
            pt->table[plan.entries[i].index] = plan.entries[i].value;
    }
    if (plan.write_ptrs) {
        msr_write(IA32_RTIT_OUTPUT_BASE, pt->ring.table_pa);
        msr_write(IA32_RTIT_OUTPUT_MASK_PTRS, plan.output_mask_ptrs);
    }
    msr_write(IA32_RTIT_STATUS, plan.rtit_status);
    pt->pmi_pending = false;
    return true;
}

void pt_drain(struct pt_cpu *pt, enum record_drain_cause cause)
{
    uint64_t from = tsc_read();
    struct drain drain = drain_take(pt, false, cause);
    bool armed = pt_rearm(pt, &drain);
    pt->totals.drain_tsc += tsc_read() - from;
    if (!armed)
        pt_pause_begin(pt, &drain, RECORD_GAP_DROP);
}

void pt_drain_all(struct pt_cpu *pt)
{
    if (pt->pause.on) { /* the registers have been read, and have not changed */
        pt->pause.drain.plan.hand_from = pt->ring.handed;
        pt->pause.drain.plan.hand_end = pt->ring.written;
        hand_over(pt, &pt->pause.drain, RECORD_DRAIN_FLUSH);
        return;
    }
    struct drain drain = drain_take(pt, true, RECORD_DRAIN_FLUSH);
    if (!pt_rearm(pt, &drain))
        pt_pause_begin(pt, &drain, RECORD_GAP_DROP);
}
