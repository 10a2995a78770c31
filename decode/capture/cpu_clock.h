/*
 * How a CPU's TSC differs from the clock of the trace, which is CPU 0's TSC as it was when the trace began. The TSC of
 * a CPU may have been higher or lower from the start, and the guest may have written it (RECORD_CLOCK). Pure.
 */
#ifndef DECODE_CAPTURE_CPU_CLOCK_H
#define DECODE_CAPTURE_CPU_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "serial/wire/record.h"

/* From trace offset at on the TSC is ahead of the clock by ahead ticks, modulo 2^64. */
struct cpu_clock_step {
    uint64_t at, ahead;
    uint32_t error; /* ahead is at most so many ticks too high or too low */
    bool written;   /* the guest has written the TSC */
};

/* All zero: the TSC is the clock of the trace. */
struct cpu_clock {
    struct cpu_clock_step *steps; /* by at */
    size_t count, room;
};

/* Take a record of the CPU, in their order. Others than RECORD_CLOCK are ignored. false: out of memory. */
bool cpu_clock_take(struct cpu_clock *clock, const struct record_header *header, const uint8_t *payload);
void cpu_clock_free(struct cpu_clock *clock);

/* By how much the TSC is ahead after all records that were taken. */
static inline uint64_t cpu_clock_ahead(const struct cpu_clock *clock)
{
    return clock->count ? clock->steps[clock->count - 1].ahead : 0;
}

/* The time, by the clock of the trace, of a TSC packet with this payload at this trace offset. clock may be NULL. A
 * payload of 0 (unknown) is returned as it is. */
uint64_t cpu_clock_time(const struct cpu_clock *clock, uint64_t at, uint64_t payload);

#endif
