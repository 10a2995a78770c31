/*
 * Does root keep its data from a guest that is not trusted? Bochs has IA32_SPEC_CTRL and IA32_FLUSH_CMD on CPUs that
 * enumerate them, without any effect, and says in IA32_ARCH_CAPABILITIES that nothing can be read; with leaks=1 that
 * register is 0. Once root has written one of them, the emulator counts, on all CPUs, the VM
 * entries before which root has not flushed the L1 data cache since the VM exit, and those with another IA32_SPEC_CTRL
 * than the guest's at the VM exit; and the VM exits after which root has not set IBRS within some instructions.
 */
#include <inttypes.h>

#include "pt_internal.h"

static const uint32_t SPEC_CTRL = 0x48, ARCH_CAPABILITIES = 0x10a, FLUSH_CMD = 0x10b;
static const uint32_t SPEC_CTRL_IBRS = 1;
/* From the VM exit to WRMSR general registers are saved and the return stack buffer is filled, some 90 instructions; an
 * NMI may come meanwhile. */
static const uint64_t IBRS_WITHIN = 300;

static struct {
    uint64_t entries, unflushed, without_ibrs, other_spec_ctrl;
} met;

void ptm_speculation_vmexit(BX_CPU_C *cpu)
{
    struct ptm_speculation *s = &cpu->ptm.speculation;
    s->exit_icount = cpu->get_icount();
    s->guest_spec_ctrl = cpu->msr.ia32_spec_ctrl;
    s->exited = true;
    s->flushed = s->ibrs = false;
}

bool ptm_speculation_rdmsr(uint32_t index, uint64_t *value)
{
    if (index != ARCH_CAPABILITIES || !ptm_config.leaks)
        return false;
    *value = 0;
    return true;
}

void ptm_speculation_wrmsr(BX_CPU_C *cpu, uint32_t index, uint64_t value)
{
    struct ptm_speculation *s = &cpu->ptm.speculation;
    if (cpu->in_vmx_guest || (index != SPEC_CTRL && index != FLUSH_CMD))
        return;
    s->used = true;
    if (index == FLUSH_CMD)
        s->flushed = true;
    else if ((value & SPEC_CTRL_IBRS) && cpu->get_icount() - s->exit_icount <= IBRS_WITHIN)
        s->ibrs = true;
}

void ptm_speculation_vmentry(BX_CPU_C *cpu)
{
    struct ptm_speculation *s = &cpu->ptm.speculation;
    if (!s->used || !s->exited)
        return;
    met.entries++;
    met.unflushed += !s->flushed;
    met.without_ibrs += !s->ibrs;
    met.other_spec_ctrl += cpu->msr.ia32_spec_ctrl != s->guest_spec_ctrl;
    s->exited = false;
}

void ptm_speculation_print(FILE *file)
{
    if (met.entries == 0)
        return;
    fprintf(file,
            "ptmodel: speculation: VM entries %" PRIu64 " without-l1d-flush %" PRIu64 " without-ibrs %" PRIu64
            " other-spec-ctrl %" PRIu64 "\n",
            met.entries, met.unflushed, met.without_ibrs, met.other_spec_ctrl);
}
