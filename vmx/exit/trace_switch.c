/* Kind: shell, hot */
/*
 * How IA32_RTIT_CTL is switched between guest and root mode: by WRMSR in root mode (pt/ does that itself), by the
 * VM-entry and VM-exit MSR-load lists, or by VM-entry and VM-exit controls. With the last two TraceEn is always 0 in
 * root mode, and no instruction of root is traced.
 *
 * VM exits need not save the MSR: the guest cannot change it.
 *
 * Source: SDM "VMX-Specific Packets and VMCS Controls" (36.5.1), "Managing Trace Packet Generation Across VMX
 * Transitions" (36.5.2); "VM-Exit Controls for MSRs", "VM-Entry Controls for MSRs".
 */
#include "vmx/exit/trace_switch.h"

#include "base/msr_numbers.h"
#include "base/phys.h"
#include "vmx/cpu/cpu.h"
#include "vmx/cpu/machine.h"
#include "vmx/cpu/vmcs.h"
#include "vmx/soft/soft.h"

/* SDM Table "Format of an MSR Entry" */
struct msr_entry {
    uint32_t index, reserved;
    uint64_t value;
} __attribute__((aligned(16)));

/* Only its own CPU touches it. */
struct trace_switch_cpu {
    uint64_t rtit_ctl; /* what VM entry loads into IA32_RTIT_CTL, as written last */
    struct msr_entry entry_msr, exit_msr;
};
CPU_STATE(trace_switch)

void trace_switch_setup(struct cpu *cpu)
{
    const bool list = machine.config.way == PT_SWITCH_LIST;

    trace_switch_of(cpu)->entry_msr = (struct msr_entry){.index = IA32_RTIT_CTL};
    trace_switch_of(cpu)->exit_msr = (struct msr_entry){.index = IA32_RTIT_CTL};
    vmwrite32(VMCS_ENTRY_MSR_LOAD_COUNT, list);
    vmwrite32(VMCS_EXIT_MSR_LOAD_COUNT, list);
    vmwrite64(VMCS_ENTRY_MSR_LOAD_ADDRESS, virt_to_phys(&trace_switch_of(cpu)->entry_msr));
    vmwrite64(VMCS_EXIT_MSR_LOAD_ADDRESS, virt_to_phys(&trace_switch_of(cpu)->exit_msr));
    if (machine.config.way == PT_SWITCH_VMCS)
        vmwrite64(VMCS_GUEST_IA32_RTIT_CTL, 0);
}

/* Make the next VM entry load ctl. */
static void entry_loads(struct cpu *cpu, uint64_t ctl)
{
    if (ctl == trace_switch_of(cpu)->rtit_ctl)
        return;
    trace_switch_of(cpu)->rtit_ctl = ctl;
    if (machine.config.way == PT_SWITCH_LIST)
        trace_switch_of(cpu)->entry_msr.value = ctl;
    else
        vmwrite64(VMCS_GUEST_IA32_RTIT_CTL, ctl);
}

void trace_switch_enter(struct cpu *cpu)
{
    const uint64_t ctl = pt_enter(cpu->pt);

    if (machine.config.way == PT_SWITCH_ROOT)
        return;
    if (machine.config.way == PT_SWITCH_SOFT)
        soft_enter(cpu);
    else
        entry_loads(cpu, ctl);
}

void trace_switch_off(struct cpu *cpu)
{
    if (machine.config.way == PT_SWITCH_SOFT)
        soft_drop(cpu);
    else if (machine.config.way != PT_SWITCH_ROOT)
        entry_loads(cpu, 0);
}
