/* Which functions called which, with the sums of these calls: the call tree without its paths. Pure. */
#ifndef DECODE_PROFILE_CALL_PAIRS_H
#define DECODE_PROFILE_CALL_PAIRS_H

#include <stdbool.h>
#include <stddef.h>

#include "decode/profile/node_sums.h"
#include "decode/profile/profile.h"

/* All calls of a function by another one. What they cost with everything below them is counted once in recursion, in
 * two ways, which differ only there: */
struct call_pair {
    const struct name *caller, *callee; /* caller NULL: not known */
    uint64_t calls;
    struct node_sums of_callee; /* without calls within another call of the callee: over all callers its totals */
    struct node_sums of_caller; /* without what further calls of the caller below it cost: over all callees, and with
                                   its own costs, the caller's totals. 0 where a function calls itself */
};

struct call_pairs {
    struct call_pair *items; /* in the order in which the tree has them */
    size_t count, room;
};

/* false: no memory. The caller calls call_pairs_free in both cases. */
bool call_pairs_make(struct call_pairs *pairs, const struct profile *profile);
void call_pairs_free(struct call_pairs *pairs);

#endif
