/* The frequency of the TSC. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

/* TSC ticks per second: from CPUID leaf 15H if it is complete, otherwise measured with the 8254 timer (once, about 50
 * ms; uses channel 2 and leaves it stopped). Never 0. */
uint64_t clock_tsc_hz(void);

/* Wait for at least us microseconds. */
void clock_wait_us(uint32_t us);

#endif
