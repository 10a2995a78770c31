/*
 * Where physical memory is mapped: the runs of all MAP records by the pages that they have, so that those with a page
 * are found without looking at the others, however many spaces have the same file. Pure.
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
    struct mapped_run *items; /* by gpa; those that begin alike by when they hold, and their record's number */
    size_t count;
    uint64_t *farthest; /* a tree: 1 is its root, 2n and 2n + 1 are below n; the greatest end of the runs below it */
    size_t leaves;      /* the leaf of item n is leaves + n; a power of 2 */
};

/* Of all maps but those that are a large page's. They must outlive it. false: no memory; nothing is to be freed. */
bool code_mapped_build(struct code_mapped *mapped, const struct code_map *maps, size_t nr_maps);
void code_mapped_free(struct code_mapped *mapped);

/* The first run from the item index on that has this physical address. NULL: none has. */
const struct mapped_run *code_mapped_next(const struct code_mapped *mapped, size_t index, uint64_t gpa);

/* For each of them. */
#define CODE_MAPPED_EACH(found, mapped, gpa)                                                                           \
    for (const struct mapped_run *found = code_mapped_next((mapped), 0, (gpa)); found;                                 \
         found = code_mapped_next((mapped), (size_t)(found - (mapped)->items) + 1, (gpa)))

#endif
