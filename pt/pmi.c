/* Kind: shell, hot */
/*
 * The PMI handler: an NMI has arrived, and it may be a ToPA PMI's. Shell.
 *
 * Source: SDM "ToPA PMI", Table 36-4 "Algorithm to Manage Intel PT ToPA PMI and XSAVES/XRSTORS" (36.2.6.2); Vol. 3A
 * "Local Vector Table": the delivery of a performance-monitoring interrupt masks LVTPC. docs/pt.md, "The manual's
 * handler", goes through the table and says what is done from the start, and what is left out.
 */
#include "base/msr.h"
#include "pt/drain.h"
#include "pt/engine_state.h"
#include "pt/lvtpc.h"
#include "pt/rtit.h"

/* IF (IA32_PERF_GLOBAL_STATUS.ToPA): acknowledge. */
static bool pmi_acknowledge(void)
{
    if (!(msr_read(IA32_PERF_GLOBAL_STATUS) & PERF_GLOBAL_TRACE_TOPA_PMI))
        return false;
    msr_write(IA32_PERF_GLOBAL_STATUS_RESET, PERF_GLOBAL_TRACE_TOPA_PMI);
    return true;
}

bool pt_pmi_serve(struct pt_engine *pt)
{
    struct drain drain;

    if (!pt->tracing)
        return false;

    /* Whose is it? Bit 55 says that there was a ToPA PMI, LVTPC's mask that this NMI is LVTPC's. Bit 55 alone does not:
     * of a PMI that comes while LVTPC is masked there is no NMI. */
    const bool topa = pmi_acknowledge();
    const bool delivered = lvtpc_unmask();
    pt->totals.pmis += topa;
    if (!topa || pt->pause.on) /* what comes in a pause is of before it, and was drained at its start */
        return delivered;

    /* Save IA32_RTIT_CTL, clear TraceEn: the VM exit or pt_exit did; the value is a constant of this CPU's. */

    /* The regions that were filled. The PMI is only a hint: what the output pointers say counts. */
    drain_read(pt, &drain, RECORD_DRAIN_PMI);

    /* Not in the table, which leaves it to the reader: give them away. */
    drain_hand_over(pt, &drain);

    /* Add entries, or END, or point entries to new regions: all memory is in the tables from the start, so that only
     * STOP moves on, as far as regions are free. Where none is, a pause begins. */
    drain_finish(pt, &drain);

    /* Restore IA32_RTIT_CTL: pt_enter, or the VM entry, last of all. */
    return delivered;
}
