/*
 * Address spaces of a buffer in which several programs ran.
 *
 * Where the kernel was traced as well, PIP packets tell which space it is by its CR3, and the times of the switches
 * tell whose that is. Without the kernel there are none: they are put in, where user code goes on after a switch, and
 * in each PSB+.
 */
#ifndef DECODE_FOREIGN_PERF_SPACES_H
#define DECODE_FOREIGN_PERF_SPACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/foreign/foreign_trace.h"

/* From this TSC on the program ran. */
struct perf_point {
    uint64_t tsc;
    size_t program;
};

struct perf_space {
    uint64_t cr3;
    size_t program;
    uint64_t ticks; /* of the TSC, for which it ran by that */
};

/* A space of one program, or of several as far as can be told. */
struct perf_spaces {
    struct perf_space *items;
    size_t count, room, last;
};

/* points: by tsc, at least one; the first holds before, too. The clocks of foreign->trace.input are known. Packets and
 * gaps may be others afterwards. false: no memory. The items are to be freed in both cases. */
bool perf_spaces_find(struct perf_spaces *spaces, struct foreign *foreign, const struct perf_point *points,
                      size_t nr_points);

/* Is it the program that used the CR3 for the longest time? */
bool perf_spaces_is(const struct perf_spaces *spaces, const struct perf_space *space);

#endif
