/*
 * The VMX-preemption timer: root runs at least every so often, however little the guest exits, so that commands are
 * heard, what was lost on the wire is sent again, and a pause of the trace ends, which pt_enter does.
 *
 * Source: SDM "VMX-Preemption Timer", Appendix A.6 for its rate.
 */
#include "pt/msr.h"
#include "vmx/cpu.h"
#include "vmx/vmcs.h"

#define PREEMPTION_TIMER_RATE 0x1full /* the timer counts at the TSC's rate shifted right by so many bits */

/* While nothing is under way, root sleeps so many times longer. */
#define IDLE_FACTOR 10u

/* Each VM entry starts it anew: any exit serves as well. */
static void timer_set(uint64_t tsc)
{
    const uint64_t ticks = tsc >> (msr_read(IA32_VMX_MISC) & PREEMPTION_TIMER_RATE);

    vmwrite32(VMCS_GUEST_PREEMPTION_TIMER_VALUE, ticks > UINT32_MAX ? UINT32_MAX : ticks ? (uint32_t)ticks : 1);
}

void timer_setup(struct cpu *cpu)
{
    cpu->timer_tsc = IDLE_FACTOR * machine.config.poll_tsc;
    if (cpu->controls.pin & PIN_PREEMPTION_TIMER)
        timer_set(cpu->timer_tsc);
}

void timer_follow(struct cpu *cpu)
{
    const uint64_t poll = machine.config.poll_tsc;
    const uint64_t tsc = cpu->nr_faults ? cpu->look_tsc : pt_busy(cpu->pt) ? poll : IDLE_FACTOR * poll;

    if (tsc == cpu->timer_tsc || !(cpu->controls.pin & PIN_PREEMPTION_TIMER))
        return;
    cpu->timer_tsc = tsc;
    timer_set(tsc);
}

enum exit_action timer_exit(struct cpu *cpu)
{
    cr3_watch(cpu); /* a command may have changed pt.cr3= */
    timer_follow(cpu);
    return EXIT_RETRY;
}
