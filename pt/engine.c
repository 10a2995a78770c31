/* Kind: shell, hot */
/*
 * The hooks after a VM exit and before a VM entry.
 *
 * Source: SDM "Enabling and Configuration MSRs" (36.2.7), "ToPA PMI" (36.2.6.2), "Tracing Post-VMXON" (36.5.2).
 * With TraceEn set every RTIT MSR but CTL is unwritable: CTL is cleared first and written last.
 */
#include "pt/engine.h"
#include "base/io.h"
#include "base/msr.h"
#include "pt/drain.h"
#include "pt/engine_state.h"
#include "pt/lvtpc.h"
#include "pt/rtit.h"
#include "serial/wire/sink_cut.h"

/* TSC ticks, some 100 us, between polls of the sink and checks of the output by exits that have no other work. */
#define POLL_TSC 300000u

bool pt_engine_tracing(const struct pt_engine *pt, uint64_t *rtit_ctl)
{
    if (rtit_ctl)
        *rtit_ctl = pt->tracing ? pt->rtit_ctl | RTIT_CTL_TRACE_EN : 0;
    return pt->tracing;
}

void pt_exit(struct pt_engine *pt)
{
    if (pt->switched_in_root)
        msr_write(IA32_RTIT_CTL, pt->rtit_ctl);
}

/* Compare bits 62:12 only. "Filtering by CR3" (36.2.4.2) ignores CR3's low 12 bits except in PAE paging, and the values
 * of pt.cr3= are assumed to be in different pages. Bit 63 of MOV's operand is not written to CR3. */
bool pt_cr3(struct pt_engine *pt, uint64_t cr3)
{
    if (!pt->tracing || !pt->follows_cr3)
        return false;
    for (unsigned i = 0; i < 2; i++)
        if (pt->config.cr3[i] != 0 && (cr3 ^ pt->config.cr3[i]) << 1 >> 13 == 0)
            pt_register_write(pt, IA32_RTIT_CR3_MATCH, pt->config.cr3[i]);
    return true;
}

/* If LVTPC was changed, the guest did it, and a PMI may have been lost meanwhile: drain. If a PMI was delivered since
 * the exit, LVTPC is masked, and pt_pmi_serve will handle its NMI. */
static void engine_guard(struct pt_engine *pt)
{
    const bool intact = lvtpc_guard();
    if (pt->pause.on) {
        pt->drain_due = false; /* the drain at the pause's start reported it */
        return;
    }
    pt->totals.lvtpc_repairs += !intact;
    if (!intact || pt->drain_due || (!pt->out.scheme->pmis && pt_registers_due(pt)))
        drain_poll(pt);
}

/* Check for output that has ended without a PMI. An operational error raises none, and the PMI for a stop or a filled
 * region is lost if TraceEn is cleared before its delivery (see CPUID.14H:EBX[6], "PSB and PMI preservation"). */
static void engine_check_output(struct pt_engine *pt)
{
    uint64_t halted = pt->trace_stop ? RTIT_STATUS_ERROR : RTIT_STATUS_ERROR | RTIT_STATUS_STOPPED;
    if ((pt_register_status(pt) & halted) || pt_registers_due(pt))
        drain_poll(pt);
    pt->checked_tsc = tsc_read();
}

/* A serial line still has to carry what it was given before: more frames would not make it faster. And while the
 * receiver does not answer, flushes must not use up regions. */
static bool flush_must_wait(const struct pt_engine *pt)
{
    return (pt->sink->end_tsc == 0 || pt->out.scheme->ends_region) &&
           sink_released(pt->sink, pt->cpu) != pt->submitted_end;
}

/* pt.flush=: submit all bytes if the oldest of them might be too old at the next check. */
static void engine_check_age(struct pt_engine *pt, uint64_t now)
{
    if (pt->flush_tsc == 0 || now - pt->unsent_tsc + pt->period_tsc + POLL_TSC < pt->flush_tsc || flush_must_wait(pt))
        return;
    if (pt_offset(pt) != pt->submitted_end)
        drain_all(pt);
    pt->unsent_tsc = tsc_read();
}

static void engine_check(struct pt_engine *pt, uint64_t now)
{
    if (!pt->tracing)
        return;
    if (!pt->pause.on)
        engine_check_output(pt);
    engine_check_age(pt, now);
}

/* While a pause is on: may TraceEn be set again? With policy=stall it waits until it may. */
static bool engine_resume(struct pt_engine *pt)
{
    for (;;) {
        if (!pt->suspended && drain_rearm(pt, &pt->pause.drain)) {
            pt_pause_end(pt);
            return true;
        }
        if (!pt->suspended && pt->pause.cause == RECORD_GAP_COMMAND)
            pt_pause_change(pt, RECORD_GAP_DROP);
        if (pt->suspended || pt->policy != PT_POLICY_STALL) {
            pt->pause.guest_runs = true;
            return false;
        }
        io_pause();
        if (pt->stall_callback)
            pt->stall_callback(pt->stall_context);
        pt_poll(pt);
        sink_wait(pt->sink, pt->cpu);
        pt_commands(pt);
    }
}

void pt_park(struct pt_engine *pt)
{
    pt->parked = true;
    if (pt->tracing && !pt->pause.on)
        drain_park(pt);
}

void pt_unpark(struct pt_engine *pt)
{
    pt->parked = false;
    if (pt->tracing)
        drain_unpark(pt);
}

uint64_t pt_flush_tsc(const struct pt_engine *pt)
{
    return pt->tracing && pt->flush_tsc != 0 ? pt->flush_tsc : UINT64_MAX;
}

/* Checks are up to POLL_TSC late, and this is called some time before engine_check_age. */
uint64_t pt_flush_left(const struct pt_engine *pt)
{
    const uint64_t flush = pt_flush_tsc(pt), age = tsc_read() - pt->unsent_tsc + 2 * POLL_TSC;

    return flush == UINT64_MAX ? flush : age < flush ? flush - age : 0;
}

void pt_period_set(struct pt_engine *pt, uint64_t tsc)
{
    pt->period_tsc = tsc;
}

bool pt_busy(const struct pt_engine *pt)
{
    return pt->pause.on || sink_busy(pt->sink) || (pt->tracing && !pt->out.scheme->pmis);
}

uint64_t pt_enter(struct pt_engine *pt)
{
    if (pt->parked)
        return 0;
    if (pt->has_lvtpc)
        engine_guard(pt);
    uint64_t now = tsc_read();
    if (now - pt->checked_tsc > POLL_TSC) /* even if the sink is polled more often */
        engine_check(pt, now);
    if (now - pt->polled_tsc > POLL_TSC)
        pt_poll(pt);
    if (pt->command_pending)
        pt_commands(pt);
    bool trace = pt->tracing && (!pt->pause.on || engine_resume(pt));
    if (pt->poll_due)
        pt_poll(pt); /* once for all records of this exit */
    if (!trace) {
        pt->soft.ctl &= ~RTIT_CTL_TRACE_EN;
        return 0;
    }
    pt->entered_tsc = now;
    pt->offset_current = false;
    uint64_t ctl = pt->rtit_ctl | RTIT_CTL_TRACE_EN;
    if (pt->switched_in_root)
        msr_write(IA32_RTIT_CTL, ctl);
    else
        pt->soft.ctl = ctl; /* used only by soft PT */
    return ctl;
}
