/* Kind: shell, init */
#include "vmx/vmcs/running.h"

#include "base/control.h"
#include "vmx/config.h"
#include "vmx/cpu/cpu.h"
#include "vmx/cpu/vmcs.h"
#include "vmx/vmcs/setup.h"

/* The encodings of each segment's selector, base, limit and access rights are 2 apart, starting with ES's. */
static void write_segment(unsigned index, const struct vmx_segment *segment)
{
    vmwrite16((enum vmcs16)(VMCS_GUEST_ES_SELECTOR + 2 * index), segment->selector);
    vmwriten((enum vmcsn)(VMCS_GUEST_ES_BASE + 2 * index), segment->base);
    vmwrite32((enum vmcs32)(VMCS_GUEST_ES_LIMIT + 2 * index), segment->limit);
    vmwrite32((enum vmcs32)(VMCS_GUEST_ES_ACCESS_RIGHTS + 2 * index), segment->rights);
}

static void write_segments(const struct vmx_state *state)
{
    for (unsigned i = 0; i < sizeof state->segments / sizeof state->segments[0]; i++)
        write_segment(i, &state->segments[i]);
    vmwriten(VMCS_GUEST_GDTR_BASE, state->gdt_base);
    vmwrite32(VMCS_GUEST_GDTR_LIMIT, state->gdt_limit);
    vmwriten(VMCS_GUEST_IDTR_BASE, state->idt_base);
    vmwrite32(VMCS_GUEST_IDTR_LIMIT, state->idt_limit);
}

static void write_msrs(const struct vmx_state *state)
{
    vmwrite64(VMCS_GUEST_IA32_EFER, state->efer);
    vmwrite64(VMCS_GUEST_IA32_PAT, state->pat);
    vmwrite64(VMCS_GUEST_IA32_DEBUGCTL, state->debugctl);
    vmwrite32(VMCS_GUEST_IA32_SYSENTER_CS, (uint32_t)state->sysenter_cs);
    vmwriten(VMCS_GUEST_IA32_SYSENTER_ESP, state->sysenter_esp);
    vmwriten(VMCS_GUEST_IA32_SYSENTER_EIP, state->sysenter_eip);
}

/* SDM "Checks on VMX Controls and Host-State Area", "Checks on Guest Control Registers, Debug Registers, and MSRs":
 * "IA-32e mode guest" must agree with IA32_EFER.LMA. */
void vmcs_setup_guest_running(const struct cpu *cpu, const struct vmx_state *state)
{
    vmwrite32(VMCS_ENTRY_CONTROLS, cpu->controls.entry | ENTRY_IA32E_MODE_GUEST);
    vmcs_setup_guest_control(state->cr0, state->cr4);
    vmwriten(VMCS_CR0_READ_SHADOW, state->cr0);
    vmwriten(VMCS_CR4_READ_SHADOW, state->cr4);
    vmwriten(VMCS_GUEST_CR3, state->cr3);
    write_segments(state);
    write_msrs(state);
    vmwriten(VMCS_GUEST_DR7, state->dr7);
    vmwriten(VMCS_GUEST_RFLAGS, state->rflags);
    vmwriten(VMCS_GUEST_RSP, state->rsp);
    vmwriten(VMCS_GUEST_RIP, state->rip);
}
