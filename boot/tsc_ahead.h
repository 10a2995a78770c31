/*
 * By how much another CPU's TSC is ahead of this one's. Core.
 *
 * This CPU sends the other one a request and waits for the answer, which has the other's TSC. That was read between the
 * two moments, so that each exchange bounds the difference from both sides. The bounds of all exchanges hold together.
 */
#ifndef BOOT_TSC_AHEAD_H
#define BOOT_TSC_AHEAD_H

#include <stdbool.h>
#include <stdint.h>

/* Ticks; begin with TSC_AHEAD_UNKNOWN. */
struct tsc_ahead {
    int64_t least, most;
};
#define TSC_AHEAD_UNKNOWN ((struct tsc_ahead){INT64_MIN, INT64_MAX})

/* The TSC here before the request and after the answer, and the other CPU's between the two. */
void tsc_ahead_take(struct tsc_ahead *ahead, uint64_t before, uint64_t other, uint64_t after);

/* Do the TSCs certainly differ? Then *ticks is by how much, at most *error ticks too high or too low. */
bool tsc_ahead_differs(const struct tsc_ahead *ahead, int64_t *ticks, uint32_t *error);

#endif
