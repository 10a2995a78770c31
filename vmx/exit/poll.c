/* Kind: shell */
/*
 * The preemption timer makes root mode run periodically, however rarely the guest exits, so that pt_enter receives
 * commands, retransmits what the wire has lost, ends a pause of the trace and sends bytes that get old.
 */
#include "vmx/exit/poll.h"

#include "base/smaller.h"
#include "vmx/exit/handlers.h"

#include "vmx/code/code.h"
#include "vmx/cpu/machine.h"
#include "vmx/cpu/timer.h"
#include "vmx/exit/cr.h"
#include "vmx/smp/kick.h"
#include "vmx/smp/requests.h"

/* The period is so many times longer while pt/ is idle. */
#define IDLE_FACTOR 10u

static uint64_t busy_tsc(const struct cpu *cpu)
{
    return smaller_of(machine.config.poll_tsc, pt_flush_tsc(cpu->pt) / 2);
}

/* Up to the time when the oldest bytes must be sent. */
static uint64_t idle_tsc(const struct cpu *cpu)
{
    const uint64_t idle = smaller_of(IDLE_FACTOR * machine.config.poll_tsc, pt_flush_left(cpu->pt));

    return idle > busy_tsc(cpu) ? idle : busy_tsc(cpu);
}

static void period_set(struct cpu *cpu, uint64_t tsc)
{
    timer_set(cpu, tsc, tsc == busy_tsc(cpu) && !kick_by_timer());
    pt_period_set(cpu->pt, tsc);
}

static uint64_t wanted_tsc(const struct cpu *cpu)
{
    const uint64_t poll = pt_busy(cpu->pt) ? busy_tsc(cpu) : idle_tsc(cpu);
    const uint64_t least = smaller_of(code_wait_tsc(cpu), poll);

    return kick_by_timer() && KICK_TIMER_TSC < least ? KICK_TIMER_TSC : least;
}

void poll_setup(struct cpu *cpu)
{
    period_set(cpu, idle_tsc(cpu));
}

/* Called before pt_enter: after it TraceEn may be set, and this would be traced. What pt_enter itself drains, because a
 * PMI was lost, makes pt/ busy at the next exit. The period grows only when the timer expires, so that a guest that
 * exits often does not cause a VMWRITE each time; except that vmx/code/ may need it short for once. */
void poll_before_entry(struct cpu *cpu)
{
    const uint64_t poll = busy_tsc(cpu);

    if (timer_tsc(cpu) < poll || code_is_waiting(cpu, poll) || kick_by_timer()) {
        const uint64_t tsc = wanted_tsc(cpu);

        if (tsc != timer_tsc(cpu))
            period_set(cpu, tsc);
    } else if (timer_tsc(cpu) > poll && pt_busy(cpu->pt)) {
        period_set(cpu, poll);
    }
}

enum exit_action timer_exit(struct cpu *cpu)
{
    cr3_watch(cpu); /* a command may have changed pt.cr3= */
    code_timer_expired(cpu);
    requests_send_parked(cpu);
    if (timer_tsc(cpu) == busy_tsc(cpu) && !pt_busy(cpu->pt) && !kick_by_timer())
        period_set(cpu, idle_tsc(cpu));
    return EXIT_RETRY;
}
