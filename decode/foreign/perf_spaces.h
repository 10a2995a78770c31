/*
 * The address spaces of a buffer in which several programs ran.
 *
 * If the kernel was traced too, PIP packets have the CR3 of each space, and the times of the context switches show
 * which program it belongs to. Otherwise there are no PIPs: they are inserted where user code resumes after a switch,
 * and into each PSB+.
 */
#ifndef DECODE_FOREIGN_PERF_SPACES_H
#define DECODE_FOREIGN_PERF_SPACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/foreign/foreign_trace.h"
#include "decode/foreign/perf_walk.h"

struct perf_space {
    uint64_t cr3;
    size_t program;
    uint64_t ticks; /* of the TSC for which the program ran with the CR3 */
};

/* Pairs of a CR3 and a program. A CR3 can have several, since the times of switches are not exact: perf_spaces_is. */
struct perf_spaces {
    struct perf_space *items;
    size_t count, room, last;
};

/* points: sorted by tsc, at least one; the first holds before its time too. The clocks in foreign->trace.input are set.
 * May change the packets and gaps. false: out of memory. free() the items in both cases. */
bool perf_spaces_find(struct perf_spaces *spaces, struct foreign *foreign, const struct perf_point *points,
                      size_t nr_points);

/* Is it the program that used the CR3 for the longest time? */
bool perf_spaces_is(const struct perf_spaces *spaces, const struct perf_space *space);

#endif
