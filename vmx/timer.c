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
static void timer_set(struct cpu *cpu, bool is_short)
{
    const uint64_t tsc = (is_short ? 1 : IDLE_FACTOR) * machine.config.poll_tsc;
    const uint64_t ticks = tsc >> (msr_read(IA32_VMX_MISC) & PREEMPTION_TIMER_RATE);

    cpu->timer_is_short = is_short;
    if (cpu->controls.pin & PIN_PREEMPTION_TIMER)
        vmwrite32(VMCS_GUEST_PREEMPTION_TIMER_VALUE, ticks > UINT32_MAX ? UINT32_MAX : ticks ? (uint32_t)ticks : 1);
}

void timer_setup(struct cpu *cpu)
{
    timer_set(cpu, false);
}

/* What this exit has yielded waits or is on its way from here on. What pt_enter itself drains, for a PMI that was lost,
 * is seen at the next exit: behind it TraceEn may be set, and this would be traced. The timer becomes long only when it
 * runs out, so that a guest that exits often does not have it written again and again. */
void timer_before_entry(struct cpu *cpu)
{
    if (!cpu->timer_is_short && pt_busy(cpu->pt))
        timer_set(cpu, true);
}

enum exit_action timer_exit(struct cpu *cpu)
{
    cr3_watch(cpu); /* a command may have changed pt.cr3= */
    if (cpu->timer_is_short && !pt_busy(cpu->pt))
        timer_set(cpu, false);
    return EXIT_RETRY;
}
