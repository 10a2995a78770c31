/* The calls that each CPU began last. Pure. */
#ifndef DECODE_MEASURE_RECENT_H
#define DECODE_MEASURE_RECENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/measure/open_calls.h"

struct recent_call {
    const struct name *name;
    uint64_t begin;
    uint32_t task; /* number in the stacks */
    uint32_t depth;
    enum stack_entry entry;
};

struct recent {
    struct open_calls *calls; /* of the whole run */
    size_t most;              /* calls of a CPU that are kept: at least 1 */
    struct recent_cpu {
        struct recent_call *items; /* a ring */
        uint64_t count;            /* of all calls that it began */
    } cpus[CAPTURE_MAX_CPUS];
    bool no_memory;
};

/* most is set. Decode the whole trace; calls has the state at its end. false: error says why. The caller calls
 * recent_free in both cases. */
bool recent_collect(struct recent *recent, struct calls_run *run, struct error *error);
void recent_free(struct recent *recent);

/* How many calls of a CPU were kept, and one of them: 0 is the last. */
size_t recent_count(const struct recent *recent, unsigned cpu);
const struct recent_call *recent_call(const struct recent *recent, unsigned cpu, size_t index);

#endif
