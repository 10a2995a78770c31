/* Kind: shell */
/*
 * A step: before its VM entry and after its VM exit.
 *
 * Source: SDM "Monitor Trap Flag" (25.5.2); "Priority Among Concurrent Events" (6.9).
 */
#include "base/control.h"
#include "vmx/cpu/vmcs.h"
#include "vmx/guest/guest.h"
#include "vmx/soft/parts.h"

#define OPCODE_HLT 0xf4u
#define OPCODE_INVLPG 0x01u /* after 0FH; other instructions of its group as well */
#define OPCODE_MOV_CR 0x22u /* after 0FH */

/* A HLT waits. "Monitor Trap Flag" does not say whether the exit finds the CPU in the HLT state. VISIBLE: if VMX has no
 * HLT activity state (Appendix A.6), the guest continues after HLT as if an event had arrived. */
static void enter_hlt(void)
{
    if (msr_read(IA32_VMX_MISC) & VMX_MISC_HLT)
        vmwrite32(VMCS_GUEST_ACTIVITY_STATE, ACTIVITY_HLT);
}

static void executed(struct cpu *cpu, const struct soft_position *to)
{
    struct soft_cpu *soft = soft_of(cpu);
    const struct instruction *i = &soft->instruction.decode;

    pt_soft_executed(cpu->pt, i, &to->context);
    if (i->kind == INSTRUCTION_FAR_RETURN)
        soft_pacing_handler_ends(&soft->pacing);
    if (i->opcode == OPCODE_HLT && i->length == 1)
        enter_hlt();
    if (i->opcode == OPCODE_INVLPG || i->opcode == OPCODE_MOV_CR)
        soft_instruction_forget_page(&soft->instruction);
}

static void delivered(struct cpu *cpu, const struct soft_position *to)
{
    pt_soft_delivered(cpu->pt, &to->context);
    soft_pacing_handler_begins(&soft_of(cpu)->pacing);
    soft_instruction_forget_page(&soft_of(cpu)->instruction);
}

void soft_leave(struct cpu *cpu, bool trapped)
{
    struct soft_cpu *soft = soft_of(cpu);
    const struct soft_position to = soft_position_read();
    const bool trap = soft->pacing.trap_due;

    if (soft->pacing.blocks)
        soft_pacing_end(&soft->pacing, trapped);
    if (trapped)
        soft_window_executed(&soft->window);
    /* Another exit came first. The instruction or the event will be repeated, or root mode emulates it. */
    if (!trapped && (to.rip == soft->start.at.rip || (vmread32(VMCS_IDT_VECTORING_INFORMATION) & EVENT_VALID))) {
        soft_start_drop(&soft->start);
        return;
    }
    if (soft_was_executed(cpu, &to)) {
        executed(cpu, &to);
        if (trap)
            guest_trap_set();
    } else {
        delivered(cpu, &to);
    }
    soft_start_set(&soft->start, &to, trapped);
}

void soft_drop(struct cpu *cpu)
{
    soft_start_drop(&soft_of(cpu)->start);
    step_each(cpu, false);
}

void soft_enter(struct cpu *cpu)
{
    struct soft_cpu *soft = soft_of(cpu);

    if (soft->pacing.blocks) /* this VM entry was prepared before, but did not come about */
        soft_pacing_end(&soft->pacing, false);
    soft_window_update(cpu);
    const bool steps = soft_window_steps(cpu);
    step_each(cpu, steps);
    if (!steps) {
        soft_start_drop(&soft->start);
        return;
    }
    soft_start_refresh(&soft->start);
    soft->step.injects_event = vmread32(VMCS_ENTRY_INTERRUPTION_INFORMATION) & EVENT_VALID;
    soft_instruction_read(&soft->instruction, &soft->start.at);
    soft_pacing_begin(soft);
    pt_soft_step_begin(cpu->pt, &soft->start.at.context);
}
