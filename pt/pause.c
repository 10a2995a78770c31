/*
 * Pauses: from a drain that found no free region, or a command, until tracing goes on. Shell.
 *
 * Under policy stall the guest waits in root mode and nothing is lost. Else it runs on untraced, and a gap record says
 * so: the trace goes on with a PSB+ at the offset where it paused.
 */
#include "pt/engine_state.h"
#include "pt/msr.h"
#include "serial/io.h"

void pt_pause_begin(struct pt_engine *pt, const struct drain *drain, enum record_gap_cause cause)
{
    pt->pmi_pending = false;
    pt->pause =
        (struct pt_pause){.on = true, .cause = cause, .at = pt->out.written, .tsc_from = tsc_read(), .drain = *drain};
}

void pt_pause_tell(struct pt_engine *pt)
{
    struct pt_pause *pause = &pt->pause;
    uint64_t now = tsc_read();
    if (!pause->on || !pause->guest_runs)
        return;
    pt->totals.pauses++;
    pt->totals.pause_tsc += now - pause->tsc_from;
    struct record_gap record = {.at = pause->at, .tsc_from = pause->tsc_from, .tsc_to = now, .cause = pause->cause};
    pause->tsc_from = now; /* should it last, the next record goes on from here */
    pt_record(pt, RECORD_GAP, &record, sizeof(record), NULL, 0);
}

void pt_pause_change(struct pt_engine *pt, enum record_gap_cause cause)
{
    pt_pause_tell(pt);
    pt->pause.guest_runs = false;
    pt->pause.cause = cause;
    pt->pause.tsc_from = tsc_read();
}

static void end(struct pt_engine *pt)
{
    if (!pt->pause.guest_runs) {
        pt->totals.stalls++;
        pt->totals.stall_tsc += tsc_read() - pt->pause.tsc_from;
    }
    pt_pause_tell(pt);
    pt->pause.on = false;
}

bool pt_pause_over(struct pt_engine *pt)
{
    for (;;) {
        if (!pt->held && pt_rearm(pt, &pt->pause.drain)) {
            end(pt);
            return true;
        }
        if (!pt->held && pt->pause.cause == RECORD_GAP_COMMAND)
            pt_pause_change(pt, RECORD_GAP_DROP);
        if (pt->held || pt->policy != PT_POLICY_STALL) {
            pt->pause.guest_runs = true;
            return false;
        }
        io_pause();
        pt_poll(pt);
        pt_commands(pt);
    }
}
