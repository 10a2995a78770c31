/*
 * The branches of the self-test's own guest, as decoded, beside those that it must have taken. What a gap or an
 * overflow has swallowed is a hole; behind it the two must agree again. Pure.
 */
#ifndef DECODE_BUILTIN_CHECK_H
#define DECODE_BUILTIN_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/check/branch_parts.h"

/* So many branches in a row show where the decoded ones go on behind a hole: more than a recursion has. Fewer must do
 * where the next hole is nearer. */
#define BUILTIN_AGREE 512u
#define BUILTIN_AGREE_LEAST 32u

struct builtin_check {
    uint64_t expected, decoded; /* branches */
    uint64_t equal;             /* one by one, in order */
    uint64_t holes, missing;    /* places where expected branches are missing, the end among them; and how many */
    uint64_t unplaced;          /* decoded ones that are none of the expected, or too few in a row to say which; */
    struct truth_branch first, wanted; /* the first of them, and what was expected there */
    bool differs;                      /* behind the last of them nothing agrees any more */
};

/* Compare with a guest that did so many rounds; it may have been loaded anywhere. false: no memory. */
bool builtin_compare(struct builtin_check *check, const struct branch_list *decoded, uint32_t rounds);

#endif
