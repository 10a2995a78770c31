/* When code was executed, out of the index alone. */
#ifndef DECODE_QUERY_OCCURRENCE_H
#define DECODE_QUERY_OCCURRENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/query/indexed_capture.h"

/* A moment at which something was executed. */
struct moment {
    uint64_t tsc; /* 0: not known */
    uint32_t stretch;
    const struct index_space *space;
};

/* By time where both have one, else in the order of stretches. */
bool moment_comes_before(const struct moment *a, const struct moment *b);

struct occurrence {
    uint64_t begin, end; /* linear addresses */
    const bool *spaces;  /* by number, is it meant? NULL: each is; the kernel's half is that of all */
    uint64_t entered;    /* how often the instruction at begin was executed */
    uint64_t runs;       /* how often execution came by: straight runs that have an address of it */
    struct moment first, last;
};

/* Has the run an instruction that begins at the address? */
bool run_has_instruction(const struct indexed_capture *indexed, const struct run *run, uint64_t address);

/* One more run, if it has an address of the occurrence, which begins with its range, the spaces and zeros. */
void occurrence_add(struct occurrence *occurrence, const struct indexed_capture *indexed, const struct run *run);

/* All runs. Of one address alone, those that have an instruction there count. */
void occurrence_find(struct occurrence *occurrence, const struct indexed_capture *indexed);

/* A function that was executed, wherever. Two spaces may have two functions at the same place. */
struct executed_function {
    const struct name *name;
    struct occurrence occurrence;
};

/* Which functions. */
struct executed_filter {
    const bool *spaces;                               /* as of struct occurrence */
    bool (*wants)(void *context, const char *symbol); /* those with these symbols, and maybe others; NULL: all */
    void *context;
};

/* The functions that were executed, by address. NULL: no memory. */
struct executed_function *functions_executed(const struct indexed_capture *indexed,
                                             const struct executed_filter *filter, size_t *count);

#endif
