/*
 * Straight runs: instructions that were executed one behind another, from where a branch led to up to the next branch.
 * A trace has millions of millions of branches, but few different runs: so a table of them, with how often and when
 * each was executed first and last, answers when and how often any address was. Pure.
 */
#ifndef DECODE_QUERY_RUN_TABLE_H
#define DECODE_QUERY_RUN_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RUN_NO_SPACE UINT32_MAX

/* Also an entry of the index file. Runs of the lower half differ by space, those of the upper half do not. */
struct run {
    uint64_t begin, last;         /* linear addresses; an instruction of the run stands at begin <= address <= last */
    uint64_t count;               /* how often it was executed */
    uint64_t first_tsc, last_tsc; /* 0: not known */
    uint32_t first_stretch, last_stretch; /* in which it was executed first and last */
    uint32_t first_space, last_space;     /* numbers of the spaces */
    uint16_t instructions;                /* while it is built: of it; 0: it only seemed to be one */
    uint16_t mode;                        /* enum instruction_mode */
    uint32_t stamp;                       /* while it is built: the chunk in which it was seen last, plus 1 */
};
_Static_assert(sizeof(struct run) == 64, "docs/ask.md: a run of the index is 64 bytes");

struct run_table {
    struct run *items; /* count == 0: the place is free */
    size_t size, used; /* size: a power of two, or 0 */
};

/* Is it a run of all spaces? */
static inline bool run_is_shared(uint64_t begin)
{
    return begin >> 63;
}

/* The place of a run in the table. count is 0 where it is new: who asks fills in the rest, and counts. NULL: no memory.
 */
struct run *run_table_place(struct run_table *table, uint64_t begin, uint64_t last, uint32_t space);

/* Add what other has, whose chunks are other ones; runs of no instruction are none. false: no memory. */
bool run_table_merge(struct run_table *table, const struct run_table *other);

/* Take out all, by begin, last and space; the table is empty then. *count: how many. */
struct run *run_table_sorted(struct run_table *table, size_t *count);

void run_table_free(struct run_table *table);

#endif
