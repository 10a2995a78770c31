/* The frequency of the TSC, and a number that identifies this boot. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

/* TSC ticks per second: from CPUID leaf 15H if it is complete, otherwise measured with the 8254 timer (once, about 50
 * ms; uses channel 2 and leaves it stopped). Never 0. */
uint64_t clock_tsc_hz(void);

/* Wait for at least us microseconds. */
void clock_wait_us(uint32_t us);

/* A stream id for this boot (serial/wire/frame.h), from the TSC and the initial APIC id. */
uint32_t clock_stream_id(void);

#endif
