/* Kind: shell, hot */
/*
 * The output registers, the tables and the canary: read for a plan, and written as a plan says. Shell.
 *
 * Source: SDM "Disabling Packet Generation" (36.2.7.3 and 36.3.2.2), "Flushing Trace Output" (36.3.3): clearing TraceEn
 * flushes the packets, but only a fence makes them visible to others, the NIC's DMA among them.
 */
#include "base/msr.h"
#include "pt/engine_state.h"
#include "pt/rtit.h"

void pt_register_write(struct pt_engine *pt, uint32_t msr, uint64_t value)
{
    if (pt->is_soft)
        soft_pt_write(&pt->soft, msr, value);
    else
        msr_write(msr, value);
}

void pt_canary_lift(struct pt_engine *pt)
{
    for (uint32_t i = 0; pt->canary && i < CANARY_WORDS; i++)
        if (pt->canary[i] == canary_word(i))
            pt->canary[i] = pt->under_canary[i];
    pt->canary = NULL;
}

static void canary_move(struct pt_engine *pt, uint64_t place)
{
    pt_canary_lift(pt);
    pt->canary = (volatile uint64_t *)((uint8_t *)pt->regions.va + place);
    for (uint32_t i = 0; i < CANARY_WORDS; i++)
        pt->under_canary[i] = pt->canary[i];
    canary_put(pt->canary);
}

static __attribute__((cold, noinline)) void soft_registers_read(struct pt_engine *pt, bool all,
                                                                struct plan_snapshot *snapshot)
{
    soft_pt_pause(&pt->soft);
    *snapshot = (struct plan_snapshot){
        .rtit_status = soft_pt_read(&pt->soft, IA32_RTIT_STATUS),
        .output_base = soft_pt_read(&pt->soft, IA32_RTIT_OUTPUT_BASE),
        .output_mask_ptrs = soft_pt_read(&pt->soft, IA32_RTIT_OUTPUT_MASK_PTRS),
        .all = all,
        .trace_stop = pt->trace_stop,
        .canary_left = CANARY_WORDS,
    };
}

void pt_registers_read(struct pt_engine *pt, bool all, struct plan_snapshot *snapshot)
{
    if (pt->is_soft) {
        soft_registers_read(pt, all, snapshot);
        return;
    }
    *snapshot = (struct plan_snapshot){
        .rtit_status = msr_read(IA32_RTIT_STATUS),
        .output_base = msr_read(IA32_RTIT_OUTPUT_BASE),
        .output_mask_ptrs = msr_read(IA32_RTIT_OUTPUT_MASK_PTRS),
        .all = all,
        .trace_stop = pt->trace_stop,
        .canary_left = CANARY_WORDS, /* none is there: nothing was written since it was lifted */
    };
    if (pt->canary) {
        __asm__ volatile("mfence" : : : "memory");
        snapshot->canary_left = canary_left(pt->canary);
    }
}

/* Seldom, and kept apart, so that a PMI does not pay for its registers. */
static __attribute__((cold, noinline)) void tables_rewrite(struct pt_engine *pt)
{
    for (uint32_t i = 0; i < pt->out.scheme->nr_slots(&pt->out); i++)
        pt->tables[i] = pt->out.scheme->entry(&pt->out, i);
}

static __attribute__((cold, noinline)) void soft_registers_write(struct soft_pt *soft, const struct plan_rearm *plan)
{
    if (plan->write_ptrs) {
        soft_pt_write(soft, IA32_RTIT_OUTPUT_BASE, plan->output_base);
        soft_pt_write(soft, IA32_RTIT_OUTPUT_MASK_PTRS, plan->output_mask_ptrs);
    }
    soft_pt_write(soft, IA32_RTIT_STATUS, plan->rtit_status);
}

void pt_registers_write(struct pt_engine *pt, const struct plan_rearm *plan)
{
    if (plan->rewrite_table) {
        tables_rewrite(pt);
    } else {
        for (uint32_t i = 0; i < plan->nr_entries; i++)
            pt->tables[plan->entries[i].index] = plan->entries[i].value;
    }
    if (plan->canary != CANARY_NOWHERE)
        canary_move(pt, plan->canary);
    if (pt->is_soft) {
        soft_registers_write(&pt->soft, plan);
        return;
    }
    if (plan->write_ptrs) {
        msr_write(IA32_RTIT_OUTPUT_BASE, plan->output_base);
        msr_write(IA32_RTIT_OUTPUT_MASK_PTRS, plan->output_mask_ptrs);
    }
    msr_write(IA32_RTIT_STATUS, plan->rtit_status);
}

uint64_t pt_register_status(const struct pt_engine *pt)
{
    return pt->is_soft ? soft_pt_read(&pt->soft, IA32_RTIT_STATUS) : msr_read(IA32_RTIT_STATUS);
}

bool pt_registers_due(const struct pt_engine *pt)
{
    return pt->out.scheme->due(&pt->out, pt->is_soft ? soft_pt_read(&pt->soft, IA32_RTIT_OUTPUT_MASK_PTRS)
                                                     : msr_read(IA32_RTIT_OUTPUT_MASK_PTRS));
}
