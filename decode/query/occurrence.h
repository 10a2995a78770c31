/* When code was executed, from the index only, without decoding. */
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

/* By TSC if both are known, otherwise in the order of stretches. */
bool moment_comes_before(const struct moment *a, const struct moment *b);

struct occurrence {
    uint64_t begin, end; /* linear addresses */
    const bool *spaces;  /* by index: does the space count? NULL: all do; the kernel's half counts in all */
    uint64_t entered;    /* how often the instruction at begin was executed */
    uint64_t runs;       /* how many straight runs were executed that overlap the range */
    struct moment first, last;
};

/* Does an instruction of the run begin at the address? */
bool run_has_instruction(const struct indexed_capture *indexed, const struct run *run, uint64_t address);

/* Add a run, if it overlaps the range. Initially the occurrence has only its range and spaces, and zeros otherwise. */
void occurrence_add(struct occurrence *occurrence, const struct indexed_capture *indexed, const struct run *run);

/* Add all runs that overlap the range. For a range of one byte, only those with an instruction that begins there. */
void occurrence_find(struct occurrence *occurrence, const struct indexed_capture *indexed);

/* A function that was executed. Different spaces may have different functions at the same address. */
struct executed_function {
    const struct name *name;
    struct occurrence occurrence;
};

/* Which functions. */
struct executed_filter {
    const bool *spaces; /* as in struct occurrence */
    bool (*matches)(void *context,
                    const char *symbol); /* does the symbol match? NULL: all do. Others may be listed too */
    void *context;
};

/* The functions that were executed, by address. NULL: no memory. */
struct executed_function *functions_executed(const struct indexed_capture *indexed,
                                             const struct executed_filter *filter, size_t *count);

#endif
