/*
 * One time line of all CPUs: the number of branches of each CPU in equal spans of the TSC. A stretch of trace counts at
 * the time of the TSC packet in its PSB+.
 */
#ifndef DECODE_TIMELINE_H
#define DECODE_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "decode/engine/flow.h"

#define TIMELINE_SPANS 16u

struct timeline_point {
    uint64_t tsc, branches;
    unsigned cpu;
};

struct timeline {
    struct timeline_point *points;
    size_t count;
    uint64_t untimed; /* stretches without a TSC packet in their PSB+ */
    bool no_memory;   /* memory was exhausted, and points are missing */
};

void timeline_take(struct timeline *timeline, unsigned cpu, const struct flow_result *results, size_t nr_results);
void timeline_free(struct timeline *timeline);

/* Print a table with a row for each span, by seconds since the first time, or by ticks if khz (of the TSC) is 0; or an
 * object, null if no TSC is known. */
void timeline_print(FILE *file, const struct timeline *timeline, uint64_t khz, unsigned nr_cpus);
void timeline_json(FILE *file, const struct timeline *timeline, unsigned nr_cpus);

#endif
