/* Kind: shell, hot */
/*
 * The output registers, the ToPA tables and the canary: read for a plan, and written as a plan says.
 *
 * Source: SDM "Disabling Packet Generation" (36.2.7.3 and 36.3.2.2), "Flushing Trace Output" (36.3.3): clearing TraceEn
 * flushes the packets, but only a fence makes them visible to other agents, such as a NIC that reads them by DMA.
 */
#include "base/msr.h"
#include "pt/engine_state.h"
#include "pt/rtit.h"

/* --- the processor's MSRs -------------------------------------------------------------------------------------------
 */

static uint64_t msr_register_read(const struct pt_engine *pt, uint32_t msr)
{
    (void)pt;
    return msr_read(msr);
}

static void msr_register_write(struct pt_engine *pt, uint32_t msr, uint64_t value)
{
    (void)pt;
    msr_write(msr, value);
}

static void msr_output_read(struct pt_engine *pt, struct plan_snapshot *snapshot)
{
    (void)pt;
    snapshot->rtit_status = msr_read(IA32_RTIT_STATUS);
    snapshot->output_base = msr_read(IA32_RTIT_OUTPUT_BASE);
    snapshot->output_mask_ptrs = msr_read(IA32_RTIT_OUTPUT_MASK_PTRS);
}

static void msr_output_write(struct pt_engine *pt, const struct plan_rearm *plan)
{
    (void)pt;
    if (plan->write_ptrs) {
        msr_write(IA32_RTIT_OUTPUT_BASE, plan->output_base);
        msr_write(IA32_RTIT_OUTPUT_MASK_PTRS, plan->output_mask_ptrs);
    }
    msr_write(IA32_RTIT_STATUS, plan->rtit_status);
}

const struct pt_register_ops pt_msr_registers = {.read = msr_register_read,
                                                 .write = msr_register_write,
                                                 .output_read = msr_output_read,
                                                 .output_write = msr_output_write};

/* --- the canary -----------------------------------------------------------------------------------------------------
 */

void pt_canary_lift(struct pt_engine *pt)
{
    for (uint32_t i = 0; pt->canary && i < CANARY_WORDS; i++)
        if (pt->canary[i] == canary_word(i))
            pt->canary[i] = pt->canary_saved[i];
    pt->canary = NULL;
}

static void canary_move(struct pt_engine *pt, uint64_t memory_offset)
{
    pt_canary_lift(pt);
    pt->canary = (volatile uint64_t *)((uint8_t *)pt->regions.va + memory_offset);
    for (uint32_t i = 0; i < CANARY_WORDS; i++)
        pt->canary_saved[i] = pt->canary[i];
    canary_put(pt->canary);
}

/* --- whole plans ----------------------------------------------------------------------------------------------------
 */

void pt_registers_read(struct pt_engine *pt, bool all, struct plan_snapshot *snapshot)
{
    pt->registers->output_read(pt, snapshot);
    snapshot->all = all;
    snapshot->trace_stop = pt->trace_stop;
    snapshot->canary_left = CANARY_WORDS; /* without a canary: nothing was written since it was lifted */
    if (pt->canary) {
        __asm__ volatile("mfence" : : : "memory");
        snapshot->canary_left = canary_left(pt->canary);
    }
}

/* Rare, and in a function of its own so that a PMI does not save registers for it. */
static __attribute__((cold, noinline)) void tables_rewrite(struct pt_engine *pt)
{
    for (uint32_t i = 0; i < pt->out.scheme->nr_slots(&pt->out); i++)
        pt->tables[i] = pt->out.scheme->entry(&pt->out, i);
}

void pt_registers_write(struct pt_engine *pt, const struct plan_rearm *plan)
{
    if (plan->rewrite_table) {
        tables_rewrite(pt);
    } else {
        for (uint32_t i = 0; i < plan->nr_entries; i++)
            pt->tables[plan->entries[i].index] = plan->entries[i].value;
    }
    if (plan->canary != CANARY_NONE)
        canary_move(pt, plan->canary);
    pt->registers->output_write(pt, plan);
}

uint64_t pt_register_status(const struct pt_engine *pt)
{
    return pt->registers->read(pt, IA32_RTIT_STATUS);
}

bool pt_registers_due(const struct pt_engine *pt)
{
    return pt->out.scheme->due(&pt->out, pt->registers->read(pt, IA32_RTIT_OUTPUT_MASK_PTRS));
}
