/* Private to decode/align/: the alignment of one pair of tasks. */
#ifndef DECODE_ALIGN_ALIGN_STATE_H
#define DECODE_ALIGN_ALIGN_STATE_H

#include "decode/align/alignment.h"

#define ALIGN_CHAINS 4096u

struct align_work {
    struct alignment *alignment;
    const struct call_trees *trees;
    struct align_pair *pair;
    uint32_t stack[ALIGN_DEPTH + 1]; /* functions that are open in both */
    size_t depth;
    uint32_t chains[ALIGN_CHAINS]; /* of the pair's extras, plus 1 */
};

/* The part of a list of calls of one boot, and where it begins. */
struct align_list {
    const struct call_item *items;
    size_t count;
    uint64_t event;                /* of the first one's beginning */
    const struct call_item *after; /* the call that follows the list; NULL: the caller returns */
};

/* How closely two calls must agree to be aligned, in the order in which that is
 * tried. */
enum align_level {
    ALIGN_EQUAL,    /* equal trees */
    ALIGN_CALLEES,  /* the same function, which calls the same functions, whatever
                       these do */
    ALIGN_HEAVIEST, /* the same function, and the callee with the most calls is
                       the same */
    ALIGN_FUNCTION, /* the same function */
    ALIGN_NR_LEVELS
};

/* What items must have in common on a level. */
uint64_t align_token(const struct call_trees *trees, const struct call_item *item, enum align_level level);

/* Align the calls of two lists that have one caller. */
void align_lists(struct align_work *work, struct align_list a, struct align_list b, enum align_level level);

/* Calls that only one boot has: `count` of the trees of an item, from an event on. other: what the other boot calls
 * next, at its event; NULL: it returns. */
struct align_other {
    const struct call_item *next;
    uint64_t event;
};
void align_add_extra(struct align_work *work, unsigned side, const struct call_item *item, uint64_t event,
                     struct align_other other);

/* The function that a tree calls with the most calls in them. ALIGN_NO_FUNCTION: it calls none. */
uint32_t align_callee(const struct call_trees *trees, uint32_t tree);

#endif
