/* Kind: shell, hot */
/*
 * The hooks behind a VM exit and before a VM entry. Shell.
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

/* How often an exit that has no work lets the sink work: TSC ticks, some 100 us. */
#define POLL_TSC 300000u

bool pt_engine_tracing(const struct pt_engine *pt, uint64_t *rtit_ctl)
{
    if (rtit_ctl)
        *rtit_ctl = pt->tracing ? pt->rtit_ctl | RTIT_CTL_TRACE_EN : 0;
    return pt->tracing;
}

bool pt_soft_steps(const struct pt_engine *pt, bool guarded, uint64_t cr3)
{
    return pt->is_soft && soft_pt_wants(&pt->soft, guarded, cr3);
}

bool pt_soft_guards(const struct pt_engine *pt, uint64_t first, uint64_t last, bool kernel, bool user)
{
    return pt->is_soft && soft_pt_guards(&pt->soft, first, last, kernel, user);
}

uint32_t pt_soft_window(const struct pt_engine *pt)
{
    const bool traces = pt->is_soft && pt->tracing && !pt->held && !pt->parked && !soft_pt_halted(&pt->soft);

    return traces ? pt->soft_window : 0;
}

void pt_soft_before(struct pt_engine *pt, const struct soft_place *at)
{
    pt->soft.tsc = tsc_read();
    soft_pt_before(&pt->soft, at);
}

/* A step has filled a region. */
static void soft_serve(struct pt_engine *pt)
{
    if (pt->soft.pmi && !pt->pause.on)
        drain_soft_pmi(pt);
}

void pt_soft_executed(struct pt_engine *pt, const struct instruction *instruction, const struct soft_place *to)
{
    soft_pt_executed(&pt->soft, instruction, to);
    soft_serve(pt);
}

void pt_soft_delivered(struct pt_engine *pt, const struct soft_place *to)
{
    soft_pt_delivered(&pt->soft, to);
    soft_serve(pt);
}

void pt_exit(struct pt_engine *pt)
{
    if (pt->switched_in_root)
        msr_write(IA32_RTIT_CTL, pt->rtit_ctl);
}

/* The low 12 bits take no part but in PAE paging ("Filtering by CR3", 36.2.4.2), and there both values have them right
 * or the page alone tells them apart. Bit 63 of what MOV writes is no part of CR3. */
bool pt_cr3(struct pt_engine *pt, uint64_t cr3)
{
    if (!pt->tracing || (pt->config.cr3[1] == 0 && !(pt->is_soft && pt->config.cr3_on)))
        return false;
    for (unsigned i = 0; i < 2; i++)
        if (pt->config.cr3[i] != 0 && (cr3 ^ pt->config.cr3[i]) << 1 >> 13 == 0)
            pt_register_write(pt, IA32_RTIT_CR3_MATCH, pt->config.cr3[i]);
    return true;
}

/* Where LVTPC was changed, the guest did it, and a PMI may have been lost meanwhile: drain. Where a PMI has come since
 * the exit, LVTPC is masked; its NMI waits for the entry, and is judged then. */
static void engine_guard(struct pt_engine *pt)
{
    const bool intact = lvtpc_guard();
    if (pt->pause.on) {
        pt->drain_due = false; /* whatever it was, it was before the pause */
        return;
    }
    pt->totals.lvtpc_repairs += !intact;
    if (!intact || pt->drain_due || (!pt->out.scheme->pmis && pt_registers_due(pt)))
        drain_poll(pt);
}

/* No PMI tells of an operational error, and one for a stop or a region's end is lost where TraceEn was cleared before
 * it came (CPUID.14H:EBX[6], "PSB and PMI preservation", is about that): a look from time to time. */
static void engine_check(struct pt_engine *pt)
{
    uint64_t halted = pt->trace_stop ? RTIT_STATUS_ERROR : RTIT_STATUS_ERROR | RTIT_STATUS_STOPPED;
    if (!pt->tracing || pt->pause.on)
        return;
    if ((pt_register_status(pt) & halted) || pt_registers_due(pt))
        drain_poll(pt);
    pt->checked_tsc = tsc_read();
}

/* While a pause is on: may TraceEn be set again? Waits for that under policy stall. */
static bool engine_resume(struct pt_engine *pt)
{
    for (;;) {
        if (!pt->held && drain_rearm(pt, &pt->pause.drain)) {
            pt_pause_end(pt);
            return true;
        }
        if (!pt->held && pt->pause.cause == RECORD_GAP_COMMAND)
            pt_pause_change(pt, RECORD_GAP_DROP);
        if (pt->held || pt->policy != PT_POLICY_STALL) {
            pt->pause.guest_runs = true;
            return false;
        }
        io_pause();
        if (pt->waiting)
            pt->waiting(pt->waiting_context);
        pt_poll(pt);
        sink_wait(pt->sink);
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
    if (now - pt->checked_tsc > POLL_TSC) /* however often the sink is polled */
        engine_check(pt);
    if (now - pt->polled_tsc > POLL_TSC)
        pt_poll(pt);
    if (pt->command_waits)
        pt_commands(pt);
    bool trace = pt->tracing && (!pt->pause.on || engine_resume(pt));
    if (pt->unsent)
        pt_poll(pt); /* all that this exit has yielded in one go; nothing waits for the next exit */
    if (!trace) {
        pt->soft.ctl &= ~RTIT_CTL_TRACE_EN;
        return 0;
    }
    pt->entered_tsc = now;
    pt->taken = false;
    uint64_t ctl = pt->rtit_ctl | RTIT_CTL_TRACE_EN;
    if (pt->switched_in_root)
        msr_write(IA32_RTIT_CTL, ctl);
    else if (pt->is_soft)
        pt->soft.ctl = ctl;
    return ctl;
}
