/* Kind: shell */
/*
 * VISIBLE: time goes on as ever while the guest is some thousand times slower: a timer's next interrupt is due before
 * the last one's handler is through, and nothing else would be executed any more. So for each instruction that a
 * handler has executed two others come before the next interrupt. Blocking by STI holds interrupts back for one
 * instruction.
 *
 * Source: SDM "Checks on Guest Non-Register State" (27.3.1.5).
 */
#include "base/control.h"
#include "vmx/cpu.h"
#include "vmx/inject.h"
#include "vmx/soft_step.h"
#include "vmx/vmcs.h"

#define OWED_MOST 65536u

#define OPCODE_WRMSR 0x30u /* behind 0FH */
#define OPCODE_RDMSR 0x32u

/* What it is no use to step by branches: what loses TF's trap, and what may show or change BTF. */
static bool is_special(const struct soft_step *step)
{
    const struct instruction *i = &step->instruction;

    return !step->decoded || instruction_is_far(i) || i->opcode == OPCODE_RDMSR || i->opcode == OPCODE_WRMSR;
}

/* VM entry wants a single-step trap to be pending where there is blocking by STI and TF, and none where there is no TF.
 * TF of which no trap has come yet has just been set, by the return from a handler for one. There BTF makes it right:
 * by it branches alone trap. Behind the instruction BTF goes, and the trap that TF alone would have caused is set. */
static bool traps_allow_blocking(struct soft_step *step, uint64_t rflags)
{
    const uint64_t debugctl = rflags & RFLAGS_TF ? vmread64(VMCS_GUEST_IA32_DEBUGCTL) : 0;
    const bool steps = (rflags & RFLAGS_TF) && !(debugctl & DEBUGCTL_BTF),
               pending = vmreadn(VMCS_GUEST_PENDING_DEBUG_EXCEPTIONS) & PENDING_DEBUG_BS;

    if (steps == pending)
        return true;
    if (pending || step->no_btf || is_special(step)) /* a trap that is pending comes before interrupts */
        return false;
    vmwrite64(VMCS_GUEST_IA32_DEBUGCTL, debugctl | DEBUGCTL_BTF);
    step->trap_due = true;
    return true;
}

void soft_hold_interrupts(struct soft_step *step)
{
    const uint64_t rflags = vmreadn(VMCS_GUEST_RFLAGS);
    const bool open = rflags & RFLAGS_IF;

    step->handles = step->handles && !open;
    if (step->handles)
        step->owed += step->owed < OWED_MOST ? 2 : 0;
    if (step->handles || step->owed == 0)
        return;
    step->owed--;
    if (!open || step->delivers)
        return;
    const uint32_t state = vmread32(VMCS_GUEST_INTERRUPTIBILITY_STATE);
    if (!(state & (INTERRUPTIBILITY_STI | INTERRUPTIBILITY_MOV_SS)) &&
        vmread32(VMCS_GUEST_ACTIVITY_STATE) != ACTIVITY_HLT && traps_allow_blocking(step, rflags))
        vmwrite32(VMCS_GUEST_INTERRUPTIBILITY_STATE, state | INTERRUPTIBILITY_STI);
}

void soft_hold_end(struct soft_step *step)
{
    vmwrite64(VMCS_GUEST_IA32_DEBUGCTL, vmread64(VMCS_GUEST_IA32_DEBUGCTL) & ~DEBUGCTL_BTF);
    step->trap_due = false;
}

/* Guest hypervisors of KVM have no BTF, and their writing it to the VMCS is ignored: nothing but VM entry tells. */
bool soft_hold_refused(struct soft_step *step)
{
    if (!step->trap_due)
        return false;
    soft_hold_end(step);
    vmwrite32(VMCS_GUEST_INTERRUPTIBILITY_STATE, vmread32(VMCS_GUEST_INTERRUPTIBILITY_STATE) & ~INTERRUPTIBILITY_STI);
    step->no_btf = true;
    return true;
}
