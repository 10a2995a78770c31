/*
 * Compares the decoded branches of the self-test's own guest with the branches that it must have taken. Branches lost
 * in a gap or an overflow are a hole; after it the two lists must agree again. Pure.
 */
#ifndef DECODE_BUILTIN_CHECK_H
#define DECODE_BUILTIN_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/check/branch_parts.h"

/* So many equal branches in a row show where decoding resumes after a hole: more than a recursion has. If the next hole
 * is nearer, at least BUILTIN_AGREE_LEAST must be equal. */
#define BUILTIN_AGREE 512u
#define BUILTIN_AGREE_LEAST 32u

struct builtin_check {
    uint64_t expected, decoded;        /* branches */
    uint64_t equal;                    /* one by one, in order */
    uint64_t holes, missing;           /* holes, one at the end included; expected branches in them */
    uint64_t unplaced;                 /* decoded branches that were not expected, or are too few in a row to place */
    struct truth_branch first, wanted; /* the first of those, and the branch that was expected there */
    bool differs;                      /* the lists do not agree again before the end */
};

/* Compare with a guest that ran so many rounds, loaded at any address. false: out of memory. */
bool builtin_compare(struct builtin_check *check, const struct branch_list *decoded, uint32_t rounds);

#endif
