/* Kind: shell */
/*
 * The VMX-preemption timer: root runs at least every so often, however little the guest exits, so that commands are
 * heard, what was lost on the wire is sent again, and a pause of the trace ends, which pt_enter does.
 *
 * Source: SDM "VMX-Preemption Timer", Appendix A.6 for its rate.
 */
#include "base/msr.h"
#include "vmx/cpu.h"
#include "vmx/space_look.h"
#include "vmx/vmcs.h"

#define PREEMPTION_TIMER_RATE 0x1full /* the timer counts at the TSC's rate shifted right by so many bits */

/* While nothing is under way, root sleeps so many times longer. */
#define IDLE_FACTOR 10u

/* Each VM entry starts it anew: any exit serves as well. */
static void timer_set(struct cpu *cpu, uint64_t tsc)
{
    const uint64_t ticks = tsc >> (msr_read(IA32_VMX_MISC) & PREEMPTION_TIMER_RATE);

    cpu->timer_tsc = tsc;
    cpu->timer_steady = tsc == machine.config.poll_tsc;
    if (cpu->controls.pin & PIN_PREEMPTION_TIMER)
        vmwrite32(VMCS_GUEST_PREEMPTION_TIMER_VALUE, ticks > UINT32_MAX ? UINT32_MAX : ticks ? (uint32_t)ticks : 1);
}

static uint64_t wanted_tsc(const struct cpu *cpu)
{
    const uint64_t poll = (pt_busy(cpu->pt) ? 1 : IDLE_FACTOR) * machine.config.poll_tsc;
    const uint64_t look = cpu->nr_fetches ? page_faults_wait(cpu) : cpu->quiet_tsc ? cpu->quiet_tsc : UINT64_MAX;

    return look < poll ? look : poll;
}

void timer_setup(struct cpu *cpu)
{
    timer_set(cpu, IDLE_FACTOR * machine.config.poll_tsc);
}

/* What this exit has yielded waits or is on its way from here on. What pt_enter itself drains, for a PMI that was lost,
 * is seen at the next exit: behind it TraceEn may be set, and this would be traced. The timer becomes long only when it
 * runs out, so that a guest that exits often does not have it written again and again; but for a look at the guest's
 * tables (vmx/page_fault.c), which is soon and over at once. */
void timer_before_entry(struct cpu *cpu)
{
    const uint64_t poll = machine.config.poll_tsc;

    if (cpu->nr_fetches || cpu->timer_tsc < poll || (cpu->quiet_tsc && cpu->quiet_tsc < poll)) {
        const uint64_t tsc = wanted_tsc(cpu);

        if (tsc != cpu->timer_tsc)
            timer_set(cpu, tsc);
    } else if (cpu->timer_tsc > poll && pt_busy(cpu->pt)) {
        timer_set(cpu, poll);
    }
}

/* SDM "VMX-Preemption Timer": it makes no exit in the wait-for-SIPI state. KVM's does, and a SIPI that comes then is
 * lost. */
void timer_run(struct cpu *cpu, bool on)
{
    if (cpu->controls.pin & PIN_PREEMPTION_TIMER)
        vmwrite32(VMCS_PIN_BASED_CONTROLS, on ? cpu->controls.pin : cpu->controls.pin & ~PIN_PREEMPTION_TIMER);
}

enum exit_action timer_exit(struct cpu *cpu)
{
    cr3_watch(cpu); /* a command may have changed pt.cr3= */
    space_look_if_quiet(cpu);
    if (cpu->timer_tsc == machine.config.poll_tsc && !pt_busy(cpu->pt))
        timer_set(cpu, IDLE_FACTOR * machine.config.poll_tsc);
    return EXIT_RETRY;
}
