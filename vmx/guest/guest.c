/* Kind: shell, hot */
#include "vmx/guest/guest.h"

#include "base/control.h"
#include "vmx/cpu/vmcs.h"

bool guest_code64(void)
{
    return (vmread32(VMCS_GUEST_CS_ACCESS_RIGHTS) & ACCESS_RIGHTS_L) && (vmread64(VMCS_GUEST_IA32_EFER) & EFER_LMA);
}

/* SDM "Guest Register State": SS's DPL is CPL. */
bool guest_in_user_mode(void)
{
    return (vmread32(VMCS_GUEST_SS_ACCESS_RIGHTS) & ACCESS_RIGHTS_DPL) == ACCESS_RIGHTS_DPL;
}

bool guest_at_cpl0(void)
{
    return !(vmread32(VMCS_GUEST_SS_ACCESS_RIGHTS) & ACCESS_RIGHTS_DPL);
}

uint64_t guest_linear_rip(void)
{
    const uint64_t rip = vmreadn(VMCS_GUEST_RIP);

    return guest_code64() ? rip : (uint32_t)(vmreadn(VMCS_GUEST_CS_BASE) + rip);
}

uint64_t guest_cr4_seen(void)
{
    const uint64_t mask = vmreadn(VMCS_CR4_GUEST_HOST_MASK);

    return (vmreadn(VMCS_GUEST_CR4) & ~mask) | (vmreadn(VMCS_CR4_READ_SHADOW) & mask);
}

void guest_trap_set(void)
{
    vmwriten(VMCS_GUEST_PENDING_DEBUG_EXCEPTIONS, vmreadn(VMCS_GUEST_PENDING_DEBUG_EXCEPTIONS) | PENDING_DEBUG_BS);
}

static void advance(uint32_t length)
{
    const struct guest_step before = {.rip = vmreadn(VMCS_GUEST_RIP),
                                      .interruptibility = vmread32(VMCS_GUEST_INTERRUPTIBILITY_STATE)};
    const uint64_t rflags = vmreadn(VMCS_GUEST_RFLAGS);
    const uint64_t debugctl = rflags & RFLAGS_TF ? vmread64(VMCS_GUEST_IA32_DEBUGCTL) : 0;
    const struct guest_step after = guest_advance(before, length, guest_code64(), rflags, debugctl);

    vmwriten(VMCS_GUEST_RIP, after.rip);
    if (after.interruptibility != before.interruptibility)
        vmwrite32(VMCS_GUEST_INTERRUPTIBILITY_STATE, after.interruptibility);
    if (after.set_bs)
        guest_trap_set();
}

void guest_advance_rip(void)
{
    advance(vmread32(VMCS_EXIT_INSTRUCTION_LENGTH));
}

/* SDM Vol. 3B "Instruction-Breakpoint Exception Condition": an event after any iteration but the last pushes RF = 1. */
void guest_iterate(void)
{
    advance(0);
    vmwriten(VMCS_GUEST_RFLAGS, vmreadn(VMCS_GUEST_RFLAGS) | RFLAGS_RF);
}

void guest_inject(struct event event)
{
    vmwrite32(VMCS_ENTRY_INTERRUPTION_INFORMATION, event.information);
    if (event.information & EVENT_HAS_ERROR_CODE)
        vmwrite32(VMCS_ENTRY_EXCEPTION_ERROR_CODE, event.error_code);
    if (event_type_of(event.information) >= EVENT_SOFTWARE_INTERRUPT)
        vmwrite32(VMCS_ENTRY_INSTRUCTION_LENGTH, event.instruction_length);
}

/* SDM "Vectored-Event Injection": RF is pushed as the guest-state area has it. A fault is delivered with RF = 1 (Vol.
 * 3B "Instruction-Breakpoint Exception Condition"), and an exit by an instruction has saved 0. */
enum exit_action guest_inject_exception(uint32_t vector)
{
    if (vector != VECTOR_DB && vector != VECTOR_DF)
        vmwriten(VMCS_GUEST_RFLAGS, vmreadn(VMCS_GUEST_RFLAGS) | RFLAGS_RF);
    guest_inject(event_exception(vector, vmreadn(VMCS_GUEST_CR0) & CR0_PE));
    return EXIT_INJECTED;
}

void guest_redeliver(void)
{
    const uint32_t vectoring = vmread32(VMCS_IDT_VECTORING_INFORMATION);

    if (!(vectoring & EVENT_VALID))
        return;
    guest_inject(
        event_again(vectoring, vmread32(VMCS_IDT_VECTORING_ERROR_CODE), vmread32(VMCS_EXIT_INSTRUCTION_LENGTH)));
    /* SDM "Checks on Guest Non-Register State": no NMI is injected while NMIs are blocked. Its own delivery, which the
     * exit interrupted, has begun to block them. */
    if (event_type_of(vectoring) == EVENT_NMI)
        vmwrite32(VMCS_GUEST_INTERRUPTIBILITY_STATE,
                  vmread32(VMCS_GUEST_INTERRUPTIBILITY_STATE) & ~INTERRUPTIBILITY_NMI);
}
