/* Kind: shell, hot */
/*
 * The PMI handler: an NMI has arrived, and may be a ToPA PMI.
 *
 * Source: SDM "ToPA PMI", Table 36-4 "Algorithm to Manage Intel PT ToPA PMI and XSAVES/XRSTORS" (36.2.6.2); Vol. 3A
 * "Local Vector Table": the delivery of a performance-monitoring interrupt masks LVTPC. docs/pt.md, "The manual's
 * handler", compares this file with the table row by row.
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
        return lvtpc_unmask(); /* the guest's counters use it as well */

    /* Whose NMI is it? Bit 55 says that a ToPA PMI was raised, and LVTPC's mask says that LVTPC delivered this NMI.
     * Bit 55 is not enough: a PMI that is raised while LVTPC is masked causes no NMI. */
    const bool topa = pmi_acknowledge();
    const bool delivered = lvtpc_unmask();
    pt->totals.pmis += topa;
    if (!topa || pt->pause.on) /* a PMI that arrives in a pause was raised before it, when its regions were drained */
        return delivered;

    /* "Save IA32_RTIT_CTL, clear TraceEn": the VM exit or pt_exit did that. pt->rtit_ctl holds the value. */

    /* Find the regions that were filled. The PMI is only a hint: the output pointers count. */
    drain_read(pt, &drain, RECORD_DRAIN_PMI);

    /* Submit them to the sink. The manual's table leaves this step to its reader. */
    drain_submit(pt, &drain);

    /* "Add entries, or END, or point entries to new regions": the tables hold all regions from the start, so only STOP
     * moves, as far as regions are free. If none is free, a pause begins. */
    drain_finish(pt, &drain);

    /* "Restore IA32_RTIT_CTL": pt_enter or the VM entry does that. */
    return delivered;
}
