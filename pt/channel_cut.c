/* Kind: shell */
/* The channel was cut (serial/wire/sink_cut.h): this CPU is not traced any more, and a gap record says since when. */
#include "pt/drain.h"
#include "pt/engine_state.h"
#include "serial/wire/sink_cut.h"

/* What was written after the last byte that the channel accepted is lost. */
static void channel_cut_begin(struct pt_engine *pt)
{
    struct drain drain;

    if (pt->pause.on) {
        pt_pause_change(pt, RECORD_GAP_CUT);
    } else {
        drain_read(pt, &drain, RECORD_DRAIN_POLL);
        pt_pause_begin(pt, &drain, RECORD_GAP_CUT);
    }
    pt->suspended = true;
    pt->awaits_start = false;
    pt->channel_cut = true;
    pt->pause.parked = pt->pause.unreported = false;
    pt->pause.guest_runs = true;
    pt->pause.at = pt->sink->cut->taken(pt->sink, pt->cpu);
    pt->pause.size = pt->out.written - pt->pause.at;
}

/* If the sink has no room for the gap record and loses it, undo its effects here: the next call tries again. */
void pt_channel_cut(struct pt_engine *pt)
{
    if (!pt->tracing)
        return;
    if (!pt->channel_cut)
        channel_cut_begin(pt);
    if (pt->channel_cut_reported)
        return;
    const struct pt_pause pause = pt->pause;
    const struct pt_totals totals = pt->totals;
    const uint64_t lost = pt->sink->cut->lost;
    pt_pause_report(pt);
    pt->channel_cut_reported = pt->sink->cut->lost == lost;
    if (pt->channel_cut_reported) {
        pt->pause.at = pt->out.written;
        pt->pause.size = 0;
    } else {
        pt->pause = pause;
        pt->totals = totals;
    }
}
