/* The VMX-preemption timer: its period, and whether it runs. vmx/exit/poll.c chooses the period. Private to vmx/. */
#ifndef VMX_CPU_TIMER_H
#define VMX_CPU_TIMER_H

#include <stdbool.h>
#include <stdint.h>

#include "vmx/cpu/cpu.h"

/* The timer counts more coarsely than the TSC: it may expire so many TSC ticks early. */
#define TIMER_SLACK_TSC 64u

/* vmx/cpu/timer.c. Only its own CPU touches it. */
struct timer_cpu {
    uint64_t tsc; /* the period, in TSC ticks, as written to the VMCS last */
    bool steady;  /* the period stays right until the timer expires or timer_recheck is called */
};
CPU_STATE(timer)

/* Write a period into the current VMCS. steady: as above. */
void timer_set(struct cpu *cpu, uint64_t tsc, bool steady);

/* The period as it was set last. */
static inline uint64_t timer_tsc(const struct cpu *cpu)
{
    return timer_of(cpu)->tsc;
}

static inline bool timer_is_steady(const struct cpu *cpu)
{
    return timer_of(cpu)->steady;
}

/* Choose the time of the next timer exit again before VM entry: root mode may be needed earlier. */
static inline void timer_recheck(struct cpu *cpu)
{
    timer_of(cpu)->steady = false;
}

/* Activate or deactivate the timer (pin-based control). */
void timer_run(struct cpu *cpu, bool on);

#endif
