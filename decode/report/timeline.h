/*
 * One time line of all CPUs: how many branches each took in each of some equal spans of the TSC. A stretch of trace
 * counts where the TSC packet of its PSB stands.
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
    bool no_memory;   /* some points are missing */
};

void timeline_take(struct timeline *timeline, unsigned cpu, const struct flow_result *results, size_t nr_results);
void timeline_free(struct timeline *timeline);

/* A table for people, a row a span, by seconds since the first time, or, where khz, the TSC's, is 0, by ticks; and an
 * object, or null where no TSC is known. */
void timeline_print(FILE *file, const struct timeline *timeline, uint64_t khz, unsigned nr_cpus);
void timeline_json(FILE *file, const struct timeline *timeline, unsigned nr_cpus);

#endif
