/* Kind: shell */
/*
 * Delays interrupts while the guest is stepped.
 *
 * VISIBLE: time passes as usual while the guest is some thousand times slower. A timer's next interrupt would be
 * pending before the handler of the last one has returned, and the guest would execute nothing else any more. So for
 * each instruction of a handler, two others are executed before the next interrupt. Blocking by STI delays interrupts
 * by one instruction.
 *
 * Source: SDM "Checks on Guest Non-Register State" (27.3.1.5).
 */
#include "base/control.h"
#include "vmx/cpu/vmcs.h"
#include "vmx/guest/inject.h"
#include "vmx/soft/parts.h"

#define OWED_MAX 65536u

#define OPCODE_WRMSR 0x30u /* after 0FH */
#define OPCODE_RDMSR 0x32u

/* Instructions that BTF must not be set for: those that lose TF's trap, and those that may read or write BTF. */
static bool is_special(const struct soft_instruction *instruction)
{
    const struct instruction *i = &instruction->decode;

    return !instruction->decoded || instruction_is_far(i) || i->opcode == OPCODE_RDMSR || i->opcode == OPCODE_WRMSR;
}

/* With blocking by STI, VM entry requires that a single-step trap is pending if TF is set and BTF is not, and that none
 * is pending otherwise. If TF is set and no trap is pending, TF has just been set, by the return from a trap handler.
 * Then BTF satisfies the check: only branches trap with it. After the instruction soft_pacing_end clears BTF, and the
 * trap that TF would have caused is made pending. */
static bool allow_blocking(struct soft_cpu *soft, uint64_t rflags)
{
    const uint64_t debugctl = rflags & RFLAGS_TF ? vmread64(VMCS_GUEST_IA32_DEBUGCTL) : 0;
    const bool steps = (rflags & RFLAGS_TF) && !(debugctl & DEBUGCTL_BTF),
               pending = vmreadn(VMCS_GUEST_PENDING_DEBUG_EXCEPTIONS) & PENDING_DEBUG_BS;

    if (steps == pending)
        return true;
    if (pending || soft->pacing.no_btf || is_special(&soft->instruction)) /* a pending trap precedes interrupts */
        return false;
    vmwrite64(VMCS_GUEST_IA32_DEBUGCTL, debugctl | DEBUGCTL_BTF);
    soft->pacing.trap_due = true;
    return true;
}

static void block(struct soft_pacing *pacing, uint32_t state)
{
    vmwrite32(VMCS_GUEST_INTERRUPTIBILITY_STATE, state | INTERRUPTIBILITY_STI);
    pacing->blocks = true;
}

/* An instruction that was executed, and an event that was delivered, have ended the blocking. Another exit has not. */
static void unblock(void)
{
    vmwrite32(VMCS_GUEST_INTERRUPTIBILITY_STATE, vmread32(VMCS_GUEST_INTERRUPTIBILITY_STATE) & ~INTERRUPTIBILITY_STI);
}

void soft_pacing_begin(struct soft_cpu *soft)
{
    struct soft_pacing *pacing = &soft->pacing;
    const uint64_t rflags = vmreadn(VMCS_GUEST_RFLAGS);
    const bool enabled = rflags & RFLAGS_IF;

    pacing->in_handler = pacing->in_handler && !enabled;
    if (pacing->in_handler)
        pacing->owed += pacing->owed < OWED_MAX ? 2 : 0;
    if (pacing->in_handler || pacing->owed == 0)
        return;
    pacing->owed--;
    if (!enabled || soft->step.injects_event)
        return;
    const uint32_t state = vmread32(VMCS_GUEST_INTERRUPTIBILITY_STATE);
    if (!(state & (INTERRUPTIBILITY_STI | INTERRUPTIBILITY_MOV_SS)) &&
        vmread32(VMCS_GUEST_ACTIVITY_STATE) != ACTIVITY_HLT && allow_blocking(soft, rflags))
        block(pacing, state);
}

void soft_pacing_end(struct soft_pacing *pacing, bool trapped)
{
    if (pacing->trap_due)
        vmwrite64(VMCS_GUEST_IA32_DEBUGCTL, vmread64(VMCS_GUEST_IA32_DEBUGCTL) & ~DEBUGCTL_BTF);
    if (!trapped)
        unblock();
    pacing->trap_due = pacing->blocks = false;
}

void soft_pacing_handler_begins(struct soft_pacing *pacing)
{
    pacing->in_handler = true;
    pacing->owed = 0;
}

void soft_pacing_handler_ends(struct soft_pacing *pacing)
{
    pacing->in_handler = false;
}

/* KVM does not give its guest hypervisors BTF, and ignores it in the VMCS: only the failed VM entry shows that. */
bool soft_entry_refused(struct cpu *cpu)
{
    struct soft_cpu *soft = soft_of(cpu);

    if (!soft->pacing.trap_due)
        return false;
    soft_pacing_end(&soft->pacing, false);
    soft->pacing.no_btf = true;
    return true;
}
