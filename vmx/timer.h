/* The VMX-preemption timer: vmx/timer.c. Private to vmx/. */
#ifndef VMX_TIMER_H
#define VMX_TIMER_H

#include <stdbool.h>
#include <stdint.h>

#include "vmx/exit.h"

/* The timer counts more coarsely than the TSC: it may expire so many TSC ticks early. */
#define TIMER_SLACK_TSC 64u

/* Owned by vmx/timer.c. Only its own CPU touches it. */
struct timer_cpu {
    uint64_t tsc; /* the period, in TSC ticks, as written to the VMCS last */
    bool steady;  /* the period stays right until the timer expires or timer_recheck is called */
};

exit_handler timer_exit;

/* Write the first period into the current VMCS. */
void timer_setup(struct cpu *cpu);

/* Before VM entry, unless timer.steady: choose the period. */
void timer_before_entry(struct cpu *cpu);

static inline bool timer_is_steady(const struct timer_cpu *timer)
{
    return timer->steady;
}

/* Choose the time of the next timer exit again before VM entry: root mode may be needed earlier. */
static inline void timer_recheck(struct timer_cpu *timer)
{
    timer->steady = false;
}

/* Activate or deactivate the timer (pin-based control). */
void timer_run(struct cpu *cpu, bool on);

#endif
