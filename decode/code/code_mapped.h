/*
 * Where physical memory is mapped: an index of the runs of all MAP records by physical address. Runs with a page are
 * found without a scan of the others, however many spaces map the same file. Pure.
 */
#ifndef DECODE_CODE_MAPPED_H
#define DECODE_CODE_MAPPED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/code/code_map.h"

struct mapped_run {
    uint64_t gpa, end; /* physical memory of the run, [gpa, end) */
    const struct code_map *map;
    const struct record_map_run *run; /* of map */
};

struct code_mapped {
    struct mapped_run *items; /* by gpa, then by when they become valid, then by record number */
    size_t count;
    uint64_t *farthest; /* a binary tree: 1 is the root, 2n and 2n + 1 are below n; each node has the greatest end of
                           the runs below it */
    size_t leaves;      /* the leaf of item n is leaves + n; a power of 2 */
};

/* Index all maps, except those made by code_map_widen. The maps must outlive it. false: no memory, and nothing to free.
 */
bool code_mapped_build(struct code_mapped *mapped, const struct code_map *maps, size_t nr_maps);
void code_mapped_free(struct code_mapped *mapped);

/* The first run from the item index on that has this physical address. NULL: none has. */
const struct mapped_run *code_mapped_next(const struct code_mapped *mapped, size_t index, uint64_t gpa);

/* For each of them. */
#define CODE_MAPPED_EACH(found, mapped, gpa)                                                                           \
    for (const struct mapped_run *found = code_mapped_next((mapped), 0, (gpa)); found;                                 \
         found = code_mapped_next((mapped), (size_t)(found - (mapped)->items) + 1, (gpa)))

#endif
