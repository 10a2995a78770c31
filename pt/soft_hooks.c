/* Kind: shell, hot */
/* The hooks of soft PT: vmx/ single-steps the guest and reports each instruction here. pt/soft/ makes the packets. */
#include "base/msr.h"
#include "pt/drain.h"
#include "pt/engine_state.h"

bool pt_soft_steps(const struct pt_engine *pt, bool guarded, uint64_t cr3)
{
    return soft_pt_must_step(&pt->soft, guarded, cr3);
}

bool pt_soft_guards(const struct pt_engine *pt, uint64_t first, uint64_t last, bool kernel, bool user)
{
    return soft_pt_guards(&pt->soft, first, last, kernel, user);
}

uint32_t pt_soft_window(const struct pt_engine *pt)
{
    const bool traces = pt->tracing && !pt->suspended && !pt->parked && !soft_pt_halted(&pt->soft);

    return traces ? pt->window_generation : 0;
}

void pt_soft_step_begin(struct pt_engine *pt, const struct soft_context *at)
{
    pt->soft.tsc = tsc_read();
    soft_pt_step_begin(&pt->soft, at);
}

/* Serve the ToPA PMI of a step that has filled a region. */
static void soft_pmi_serve(struct pt_engine *pt)
{
    if (pt->soft.pmi && !pt->pause.on)
        drain_soft_pmi(pt);
}

void pt_soft_executed(struct pt_engine *pt, const struct instruction *instruction, const struct soft_context *to)
{
    soft_pt_executed(&pt->soft, instruction, to);
    soft_pmi_serve(pt);
}

void pt_soft_delivered(struct pt_engine *pt, const struct soft_context *to)
{
    soft_pt_delivered(&pt->soft, to);
    soft_pmi_serve(pt);
}
