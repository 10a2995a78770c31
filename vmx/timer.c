/* Kind: shell */
/*
 * The VMX-preemption timer makes root mode run periodically, however rarely the guest exits, so that pt_enter receives
 * commands, retransmits what the wire has lost and ends a pause of the trace.
 *
 * Source: SDM "VMX-Preemption Timer", Appendix A.6 for its rate.
 */
#include "vmx/timer.h"

#include "base/msr.h"
#include "vmx/cpu.h"
#include "vmx/cr.h"
#include "vmx/vmcs.h"

#define PREEMPTION_TIMER_RATE 0x1full /* the timer counts at the TSC's rate divided by 2 to this power */

/* The period is so many times longer while pt/ is idle. */
#define IDLE_FACTOR 10u

/* Each VM entry restarts the timer, so that any other exit will do instead. */
static void timer_set(struct cpu *cpu, uint64_t tsc)
{
    const uint64_t ticks = tsc >> (msr_read(IA32_VMX_MISC) & PREEMPTION_TIMER_RATE);

    cpu->timer.tsc = tsc;
    cpu->timer.steady = tsc == machine.config.poll_tsc;
    if (cpu->controls.pin & PIN_PREEMPTION_TIMER)
        vmwrite32(VMCS_GUEST_PREEMPTION_TIMER_VALUE, ticks > UINT32_MAX ? UINT32_MAX : ticks ? (uint32_t)ticks : 1);
}

static uint64_t wanted_tsc(const struct cpu *cpu)
{
    const uint64_t poll = (pt_busy(cpu->pt) ? 1 : IDLE_FACTOR) * machine.config.poll_tsc;
    const uint64_t wait = code_wait_tsc(cpu);

    return wait < poll ? wait : poll;
}

void timer_setup(struct cpu *cpu)
{
    timer_set(cpu, IDLE_FACTOR * machine.config.poll_tsc);
}

/* Called before pt_enter: after it TraceEn may be set, and this would be traced. What pt_enter itself drains, because a
 * PMI was lost, makes pt/ busy at the next exit. The period grows only when the timer expires, so that a guest that
 * exits often does not cause a VMWRITE each time; except that vmx/code/ may need it short for once. */
void timer_before_entry(struct cpu *cpu)
{
    const uint64_t poll = machine.config.poll_tsc;

    if (cpu->timer.tsc < poll || code_is_waiting(&cpu->code, poll)) {
        const uint64_t tsc = wanted_tsc(cpu);

        if (tsc != cpu->timer.tsc)
            timer_set(cpu, tsc);
    } else if (cpu->timer.tsc > poll && pt_busy(cpu->pt)) {
        timer_set(cpu, poll);
    }
}

/* SDM "VMX-Preemption Timer": it causes no exit in the wait-for-SIPI state. KVM's does, and a SIPI that arrives at that
 * time is lost. */
void timer_run(struct cpu *cpu, bool on)
{
    if (cpu->controls.pin & PIN_PREEMPTION_TIMER)
        vmwrite32(VMCS_PIN_BASED_CONTROLS, on ? cpu->controls.pin : cpu->controls.pin & ~PIN_PREEMPTION_TIMER);
}

enum exit_action timer_exit(struct cpu *cpu)
{
    cr3_watch(cpu); /* a command may have changed pt.cr3= */
    code_timer_expired(cpu);
    if (cpu->timer.tsc == machine.config.poll_tsc && !pt_busy(cpu->pt))
        timer_set(cpu, IDLE_FACTOR * machine.config.poll_tsc);
    return EXIT_RETRY;
}
