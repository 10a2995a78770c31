/* Kind: shell */
/* Before the machine goes down: submit all bytes, send the totals, and wait until those of all CPUs have arrived. */
#include "base/clock.h"
#include "base/log.h"
#include "pt/drain.h"
#include "pt/engine_state.h"
#include "serial/wire/sink_cut.h"

/* Seconds without progress after which the receiver counts as gone. */
#define FLUSH_SECONDS 10u

static uint64_t patience(const struct pt_engine *pt)
{
    return sink_patience(pt->sink, FLUSH_SECONDS * clock_tsc_hz());
}

static uint32_t totals_text(struct pt_engine *pt)
{
    const struct pt_totals *t = &pt->totals;
    const uint64_t regions = pt->tracing ? pt->out.written / pt->region_bytes : 0;
    return (uint32_t)format_text(
        pt->text, sizeof(pt->text),
        "trace_bytes %lu\nregions %lu\npmis %lu\nspurious_pmis %lu\nlvtpc_repairs %lu\n"
        "gaps %lu\nstopped %lu\nerrors %lu\noverruns %lu\npauses %lu\npause_tsc %lu\nforgotten %lu\n"
        "drain_tsc %lu\nstalls %lu\nstall_tsc %lu\nrecords %lu\n",
        pt->out.written, regions, t->pmis, t->spurious_pmis, t->lvtpc_repairs, pt_gaps(t), t->stopped, t->errors,
        t->overruns, t->pauses, t->pause_tsc, t->forgotten, t->drain_tsc, t->stalls, t->stall_tsc, t->records);
}

void pt_flush_begin(struct pt_engine *pt)
{
    pt->ended = false;
    if (sink_is_cut(pt->sink))
        pt_channel_cut(pt);
    if (pt->tracing)
        drain_all(pt);
    pt_pause_report(pt);
}

void pt_flush_parked(struct pt_engine *pt)
{
    if (pt->parked && pt->tracing && pt->out.written != pt->submitted_end)
        drain_all(pt);
}

/* Records have a stream of their own. Wait for the trace first: whatever has not arrived before RECORD_END counts as
 * lost at the receiver. */
void pt_flush_end(struct pt_engine *pt, const char *exits_text, uint32_t exits_size)
{
    uint32_t size = totals_text(pt);
    if (sink_is_cut(pt->sink))
        size +=
            (uint32_t)format_text(pt->text + size, sizeof(pt->text) - size, "records_lost %lu\n", pt->sink->cut->lost);
    sink_drain_all(pt->sink, patience(pt));
    if (pt->sink->plain_bytes != 0)
        size += (uint32_t)format_text(pt->text + size, sizeof(pt->text) - size,
                                      "frames_plain_bytes %lu\nframes_packed_bytes %lu\n", pt->sink->plain_bytes,
                                      pt->sink->packed_bytes);
    pt_record(pt, RECORD_END, pt->text, size, exits_text, exits_text ? exits_size : 0);
    pt->ended = true;
}

/* A slow wire is not a dead one: the wait lasts as long as anything is delivered. */
void pt_flush_wait(struct pt_engine *pt)
{
    bool delivered = pt->ended ? sink_drain_end(pt->sink, patience(pt)) : sink_drain_all(pt->sink, patience(pt));
    if (!pt->ended)
        pt_commands(pt); /* answer those that came meanwhile */
    else if (!delivered)
        log_panic("the receiver does not answer: the end of the trace may be missing");
}

void pt_flush_over(struct pt_engine *pt)
{
    sink_hurry(pt->sink);
}
