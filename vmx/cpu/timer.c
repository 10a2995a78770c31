/* Kind: shell */
/* Source: SDM "VMX-Preemption Timer", Appendix A.6 for its rate. */
#include "vmx/cpu/timer.h"

#include "base/control.h"
#include "base/msr.h"
#include "vmx/cpu/vmcs.h"

#define PREEMPTION_TIMER_RATE 0x1full /* the timer counts at the TSC's rate divided by 2 to this power */

/* Each VM entry restarts the timer, so that any other exit will do instead. */
void timer_set(struct cpu *cpu, uint64_t tsc, bool steady)
{
    const uint64_t ticks = tsc >> (msr_read(IA32_VMX_MISC) & PREEMPTION_TIMER_RATE);

    timer_of(cpu)->tsc = tsc;
    timer_of(cpu)->steady = steady;
    if (cpu->controls.pin & PIN_PREEMPTION_TIMER)
        vmwrite32(VMCS_GUEST_PREEMPTION_TIMER_VALUE, ticks > UINT32_MAX ? UINT32_MAX : ticks ? (uint32_t)ticks : 1);
}

/* SDM "VMX-Preemption Timer": it causes no exit in the wait-for-SIPI state. KVM's does, and a SIPI that arrives at that
 * time is lost. */
void timer_run(struct cpu *cpu, bool on)
{
    if (cpu->controls.pin & PIN_PREEMPTION_TIMER)
        vmwrite32(VMCS_PIN_BASED_CONTROLS, on ? cpu->controls.pin : cpu->controls.pin & ~PIN_PREEMPTION_TIMER);
}
