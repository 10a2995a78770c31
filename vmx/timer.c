/*
 * The VMX-preemption timer: root runs at least every so often, however little the guest exits, so that commands are
 * heard and a pause of the trace ends, which pt_enter does.
 *
 * Source: SDM "VMX-Preemption Timer", Appendix A.6 for its rate.
 */
#include "pt/msr.h"
#include "vmx/cpu.h"
#include "vmx/vmcs.h"

#define PREEMPTION_TIMER_RATE 0x1full /* the timer counts at the TSC's rate shifted right by so many bits */

/* Each VM entry starts it anew: any exit serves as well. */
void timer_setup(const struct cpu *cpu)
{
    if (!(cpu->controls.pin & PIN_PREEMPTION_TIMER))
        return;
    uint64_t ticks = machine.config.poll_tsc >> (msr_read(IA32_VMX_MISC) & PREEMPTION_TIMER_RATE);
    vmwrite32(VMCS_GUEST_PREEMPTION_TIMER_VALUE, ticks > UINT32_MAX ? UINT32_MAX : ticks ? (uint32_t)ticks : 1);
}

enum exit_action timer_exit(struct cpu *cpu)
{
    cr3_watch(cpu); /* a command may have changed pt.cr3= */
    return EXIT_RETRY;
}
