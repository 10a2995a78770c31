/* Kind: shell */
/* Gap records: bytes of the trace that were not written, or were overwritten. */
#include "base/log.h"
#include "base/msr.h"
#include "pt/engine_state.h"
#include "pt/output/fault.h"

/* Send a log record that names the ToPA entry and the error. The tables still are as the processor found them. Returns
 * the gap record's detail. */
static uint32_t explain_error(struct pt_engine *pt, const struct plan_snapshot *snapshot)
{
    char line[160];
    size_t length;
    const struct fault_tables tables = {pt->tables, pt->tables_pa, pt->out.scheme->nr_slots(&pt->out)};
    struct topa_ptrs ptrs = topa_ptrs_unpack(snapshot->output_base, snapshot->output_mask_ptrs);
    struct fault fault = fault_find(&tables, ptrs, pt->maxphyaddr, pt->single_region);
    if (tables.nr_slots == 0 || !fault.found)
        length = format_text(line, sizeof(line), "trace output error: IA32_RTIT_OUTPUT_BASE %lx, MASK_PTRS %lx",
                             snapshot->output_base, snapshot->output_mask_ptrs);
    else
        length = format_text(line, sizeof(line), "trace output error at ToPA entry %u (%lx), offset %x: %s", fault.slot,
                             fault.entry, ptrs.offset, topa_error_name(fault.error));
    pt_record(pt, RECORD_LOG, line, (uint32_t)length, NULL, 0);
    return fault_detail(&fault);
}

void pt_gap(struct pt_engine *pt, const struct drain *drain)
{
    const struct plan_drain *plan = &drain->plan;
    static const uint32_t causes[] = {[PLAN_GAP_STOPPED] = RECORD_GAP_STOPPED,
                                      [PLAN_GAP_ERROR] = RECORD_GAP_ERROR,
                                      [PLAN_GAP_OVERRUN] = RECORD_GAP_OVERRUN};
    if (plan->gap == PLAN_NO_GAP)
        return;
    pt->totals.stopped += plan->gap == PLAN_GAP_STOPPED;
    pt->totals.errors += plan->gap == PLAN_GAP_ERROR;
    pt->totals.overruns += plan->gap == PLAN_GAP_OVERRUN;
    struct record_gap record = {
        .at = plan->gap_at,
        .size = plan->gap_size,
        .tsc_from =
            drain->cause == RECORD_DRAIN_PMI && plan->gap == PLAN_GAP_STOPPED ? pt->entered_tsc : pt->checked_tsc,
        .tsc_to = tsc_read(),
        .cause = causes[plan->gap],
        .detail = plan->gap == PLAN_GAP_ERROR ? explain_error(pt, &drain->snapshot) : 0,
    };
    pt_record(pt, RECORD_GAP, &record, sizeof(record), NULL, 0);
}
