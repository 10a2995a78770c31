/* How fast the TSC runs, and a name for this boot. Shell. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

/* TSC ticks a second: from CPUID leaf 15H where it is complete, else measured against the 8254 timer (about 50 ms,
 * once; channel 2 is used and left stopped). Never 0. */
uint64_t clock_tsc_hz(void);

/* At least us microseconds go by. */
void clock_wait_us(uint32_t us);

/* A stream id for this boot (serial/wire/frame.h), from the TSC and the initial APIC id. */
uint32_t clock_stream_id(void);

#endif
