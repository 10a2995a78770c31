/* Inside of index_build.c: what threads have made of chunks, and the index as one piece of memory. */
#ifndef DECODE_QUERY_INDEX_PARTS_H
#define DECODE_QUERY_INDEX_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/query/index_file.h"
#include "decode/query/run_taker.h"

/* Of a chunk. */
struct index_part {
    struct index_chunk chunk;
    uint64_t *set;       /* granules, in no order */
    uint32_t *space_set; /* numbers of spaces, each once, in no order */
    struct run_sums sums;
};

/* All that goes into the index; its header has identity, gaps and damages. */
struct index_parts {
    struct index_header header;
    struct index_stretch *stretches;
    size_t nr_stretches;
    struct index_part *chunks;
    size_t nr_chunks;
    struct run_table runs;
    const struct run_spaces *spaces;
};

/* The runs are used up. false: no memory. */
bool index_parts_join(struct query_index *index, struct index_parts *parts);

#endif
