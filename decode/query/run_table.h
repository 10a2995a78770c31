/*
 * Straight runs: consecutive instructions from the target of a branch up to the next branch. A trace has 10^12
 * branches, but few different runs. So a table of runs, each with a count and its first and last execution, shows when
 * and how often any address was executed. Pure.
 */
#ifndef DECODE_QUERY_RUN_TABLE_H
#define DECODE_QUERY_RUN_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RUN_NO_SPACE UINT32_MAX

/* Also an entry of the index file. Runs of the lower half differ by space, those of the upper half do not. */
struct run {
    uint64_t begin, last;                 /* linear addresses: its instructions begin from begin to last */
    uint64_t count;                       /* how often it was executed */
    uint64_t first_tsc, last_tsc;         /* 0: not known */
    uint32_t first_stretch, last_stretch; /* in which it was executed first and last */
    uint32_t first_space, last_space;     /* numbers of the spaces */
    uint16_t instructions;                /* only while the index is built; 0: no straight run (run_check.h) */
    uint16_t mode;                        /* enum instruction_mode */
    uint32_t stamp;                       /* only while the index is built: 1 + the chunk that had it last */
};
_Static_assert(sizeof(struct run) == 64, "docs/ask.md: a run of the index is 64 bytes");

struct run_table {
    struct run *items; /* a hash table; count == 0: the entry is free */
    size_t size, used; /* size: a power of two, or 0 */
};

/* Does the run belong to all spaces? */
static inline bool run_is_shared(uint64_t begin)
{
    return begin >> 63;
}

/* The entry of a run in the table. If it is new, count is 0, and the caller fills in the other fields. The caller
 * increments count. NULL: no memory. */
struct run *run_table_place(struct run_table *table, uint64_t begin, uint64_t last, uint32_t space);

/* Add the runs of another table, which has other chunks. Runs without an instruction are skipped. false: no memory. */
bool run_table_merge(struct run_table *table, const struct run_table *other);

/* Move all runs into an array, sorted by begin, last and space. The table is empty afterwards. */
struct run *run_table_sorted(struct run_table *table, size_t *count);

void run_table_free(struct run_table *table);

#endif
