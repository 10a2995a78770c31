/* Kind: shell */
/*
 * Pauses: from a drain that found no free region, or from a command, until tracing resumes (pt/engine.c).
 *
 * With policy=stall the guest waits in root operation and nothing is lost. Otherwise it runs without being traced, and
 * a gap record says so: the trace resumes with a PSB+ at the offset where it was paused.
 */
#include "base/msr.h"
#include "pt/engine_state.h"

void pt_pause_begin(struct pt_engine *pt, const struct drain *drain, enum record_gap_cause cause)
{
    pt->drain_due = false;
    pt->pause =
        (struct pt_pause){.on = true, .cause = cause, .at = pt->out.written, .tsc_from = tsc_read(), .drain = *drain};
}

void pt_pause_report(struct pt_engine *pt)
{
    struct pt_pause *pause = &pt->pause;
    uint64_t now = tsc_read();
    if (!pause->on || !pause->guest_runs || pt->awaits_start)
        return;
    pt->totals.pauses++;
    pt->totals.pause_tsc += now - pause->tsc_from;
    struct record_gap record = {
        .at = pause->at, .size = pause->size, .tsc_from = pause->tsc_from, .tsc_to = now, .cause = pause->cause};
    pause->tsc_from = now; /* if the pause lasts, the next gap record begins here */
    pt_record(pt, RECORD_GAP, &record, sizeof(record), NULL, 0);
}

void pt_pause_change(struct pt_engine *pt, enum record_gap_cause cause)
{
    pt_pause_report(pt);
    pt->pause.guest_runs = false;
    pt->pause.cause = cause;
    pt->pause.tsc_from = tsc_read();
}

void pt_pause_end(struct pt_engine *pt)
{
    if (!pt->pause.guest_runs && !pt->awaits_start) {
        pt->totals.stalls++;
        pt->totals.stall_tsc += tsc_read() - pt->pause.tsc_from;
    }
    pt_pause_report(pt);
    pt->pause.on = false;
    pt->awaits_start = false;
}
