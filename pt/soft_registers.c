/* Kind: core */
/* IA32_RTIT_* of soft PT (pt/soft/), for CPUs whose packets are made by single-stepping the guest. */
#include "pt/engine_state.h"
#include "pt/rtit.h"

static uint64_t soft_register_read(const struct pt_engine *pt, uint32_t msr)
{
    return soft_pt_read(&pt->soft, msr);
}

static void soft_register_write(struct pt_engine *pt, uint32_t msr, uint64_t value)
{
    soft_pt_write(&pt->soft, msr, value);
}

static void soft_output_read(struct pt_engine *pt, struct plan_snapshot *snapshot)
{
    soft_pt_trace_off(&pt->soft);
    snapshot->rtit_status = soft_pt_read(&pt->soft, IA32_RTIT_STATUS);
    snapshot->output_base = soft_pt_read(&pt->soft, IA32_RTIT_OUTPUT_BASE);
    snapshot->output_mask_ptrs = soft_pt_read(&pt->soft, IA32_RTIT_OUTPUT_MASK_PTRS);
}

static void soft_output_write(struct pt_engine *pt, const struct plan_rearm *plan)
{
    if (plan->write_ptrs) {
        soft_pt_write(&pt->soft, IA32_RTIT_OUTPUT_BASE, plan->output_base);
        soft_pt_write(&pt->soft, IA32_RTIT_OUTPUT_MASK_PTRS, plan->output_mask_ptrs);
    }
    soft_pt_write(&pt->soft, IA32_RTIT_STATUS, plan->rtit_status);
}

const struct pt_register_ops pt_soft_registers = {.read = soft_register_read,
                                                  .write = soft_register_write,
                                                  .output_read = soft_output_read,
                                                  .output_write = soft_output_write};
