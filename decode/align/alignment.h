/* What the alignment of two boots finds: which tasks are pairs, and what differs between the calls of each. */
#ifndef DECODE_ALIGN_ALIGNMENT_H
#define DECODE_ALIGN_ALIGNMENT_H

#include "decode/align/task_calls.h"

/* Callees of deeper calls are not aligned: a call with others is in one boot only. */
#define ALIGN_DEPTH 512u

#define ALIGN_NO_FUNCTION UINT32_MAX

/* Calls of a function by another one, within one pair of tasks, that ran in one
 * boot only. */
struct align_extra {
    uint32_t side; /* 0: a, 1: b */
    uint32_t function, caller;
    uint32_t callee;       /* of the first of them, the function whose calls have the most calls in them */
    uint64_t count, calls; /* calls: with all in them */
    uint64_t ticks;        /* from their beginnings to their ends */
    uint64_t first;        /* TSC */
    uint32_t next;         /* private to align_extras.c */
};

/* The first difference of two tasks: the calls that are open in both, and what
 * each calls next. */
struct align_point {
    uint32_t *stack; /* functions, the outermost first */
    size_t depth;
    uint32_t next[2];   /* ALIGN_NO_FUNCTION: it returns */
    uint32_t callee[2]; /* of the next calls, as in struct align_extra */
    uint64_t tsc[2];
    uint64_t equal; /* how many calls before it are equal */
};

struct align_pair {
    const struct task_calls *tasks[2]; /* NULL: the task ran in one boot only */
    struct align_extra *extras;        /* those with the most calls first */
    size_t nr_extras, extra_room;
    struct align_point point;
    bool differs;
};

struct alignment {
    struct call_trees *trees;
    struct align_pair *pairs; /* in the order of a's tasks, then those of b only */
    size_t count, room;
    bool cut; /* calls deeper than ALIGN_DEPTH differ */
    bool no_memory;
};

#endif
