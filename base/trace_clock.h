/*
 * The clock of the trace: CPU 0's TSC as it was at the start. TSCs of CPUs may differ from the start, and the guest
 * writes them. So what one CPU compares with a time of another one's is by this clock. It is only as exact as the
 * difference could be measured (boot/tsc_ahead.h): a time that another CPU has just taken may be slightly later than
 * now.
 */
#ifndef BASE_TRACE_CLOCK_H
#define BASE_TRACE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/msr.h"

#define TRACE_CLOCK_CPUS 64u

/* A CPU's TSC is ahead of the clock by ahead ticks, modulo 2^64; that is at most error ticks too high or too low. Only
 * the CPU itself changes it, or the first CPU before it runs a guest. */
struct trace_clock_cpu {
    uint64_t ahead;
    uint32_t error;
};
extern struct trace_clock_cpu trace_clock_cpus[TRACE_CLOCK_CPUS]; /* changed by trace_clock_move */

/* In ticks, modulo 2^64. cpu: the calling CPU's number. */
static inline uint64_t trace_clock(uint16_t cpu)
{
    return tsc_read() - trace_clock_cpus[cpu].ahead;
}

/* The same for callers that do not know their CPU's number. Root mode only. Inlined: it is called for each poll of the
 * channel. */
extern bool trace_clock_differs; /* a CPU's TSC has ever been ahead of the clock */
uint64_t trace_clock_find(void); /* for trace_clock_here */
static inline __attribute__((always_inline)) uint64_t trace_clock_here(void)
{
    return __builtin_expect(trace_clock_differs, false) ? trace_clock_find() : tsc_read();
}

/* The CPU's TSC has been moved ahead by change ticks, modulo 2^64, known within error ticks. */
void trace_clock_move(uint16_t cpu, uint64_t change, uint32_t error);

/* How to find the number of the calling CPU, on a machine with several. Without it all callers are CPU 0. */
void trace_clock_set_number(uint16_t (*number)(void));

#endif
