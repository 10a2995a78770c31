/* The callers and callees of a function. Pure. */
#ifndef DECODE_PROFILE_NEIGHBOURS_H
#define DECODE_PROFILE_NEIGHBOURS_H

#include <stdbool.h>
#include <stddef.h>

#include "decode/profile/call_pairs.h"

/* A caller: how often it called the function, and what these calls cost with all that they called. A callee: how often
 * the function called it, and what that cost. */
struct profile_neighbour {
    const struct name *name; /* NULL: of callers, the caller is not known */
    uint64_t calls, branches, ticks;
};

/* Each is counted once in recursion: the sums of the callers are the totals of struct profile_function. Those sums
 * are also what the function itself spent, and the sums of the callees. Most branches first. */
struct profile_neighbours {
    struct profile_neighbour *callers, *callees;
    size_t nr_callers, nr_callees, callers_room, callees_room;
};

/* false: no memory. The caller calls profile_neighbours_free in both cases. */
bool profile_neighbours_find(struct profile_neighbours *neighbours, const struct call_pairs *pairs,
                             const struct name *name);
void profile_neighbours_free(struct profile_neighbours *neighbours);

#endif
