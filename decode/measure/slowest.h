/* The slowest of many calls, and when they were. Pure. */
#ifndef DECODE_MEASURE_SLOWEST_H
#define DECODE_MEASURE_SLOWEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/names/names.h"

struct slow_call {
    uint64_t begin, elapsed, running; /* in ticks: as in struct measured */
    uint32_t task;                    /* number in the stacks */
    uint64_t space;
    const char *process; /* what ran, as text; NULL: not known */
    uint16_t cpu;        /* on which it ended */
};

#define SLOWEST_COUNT 10u
struct slowest {
    struct slow_call items[SLOWEST_COUNT]; /* the slowest first; equal ones by time */
    size_t count;
};

/* Would slowest_add keep a call that took so many ticks? */
bool slowest_has_room(const struct slowest *slowest, uint64_t elapsed);
void slowest_add(struct slowest *slowest, const struct slow_call *call);

#endif
