/* Kind: shell */
/* The channel was cut (serial/wire/sink_cut.h): tracing is over on this CPU, and a gap record says since when. Shell.
 */
#include "pt/drain.h"
#include "pt/engine_state.h"
#include "serial/wire/sink_cut.h"

/* What was written behind what the channel has taken is lost. */
static void cut_begin(struct pt_engine *pt)
{
    struct drain drain;

    if (pt->pause.on) {
        pt_pause_change(pt, RECORD_GAP_CUT);
    } else {
        drain_read(pt, &drain, RECORD_DRAIN_POLL);
        pt_pause_begin(pt, &drain, RECORD_GAP_CUT);
    }
    pt->held = true;
    pt->awaits = false;
    pt->cut = true;
    pt->pause.parked = pt->pause.unreported = false;
    pt->pause.guest_runs = true;
    pt->pause.at = pt->sink->cut->taken(pt->sink, pt->cpu);
    pt->pause.size = pt->out.written - pt->pause.at;
}

/* Until it is told: where there is no room, nobody hears it. */
void pt_cut(struct pt_engine *pt)
{
    if (!pt->tracing)
        return;
    if (!pt->cut)
        cut_begin(pt);
    if (pt->cut_told)
        return;
    const struct pt_pause pause = pt->pause;
    const struct pt_totals totals = pt->totals;
    const uint64_t lost = pt->sink->cut->lost;
    pt_pause_report(pt);
    pt->cut_told = pt->sink->cut->lost == lost;
    if (pt->cut_told) {
        pt->pause.at = pt->out.written;
        pt->pause.size = 0;
    } else {
        pt->pause = pause;
        pt->totals = totals;
    }
}
