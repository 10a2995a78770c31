/* Decoding those parts of a capture that can hold what is asked for: the index says which. */
#ifndef DECODE_QUERY_LISTING_H
#define DECODE_QUERY_LISTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/engine/flow.h"
#include "decode/query/ask.h"

/* Linear addresses. */
struct listing_range {
    uint64_t begin, end;
};

struct listing {
    const struct ask *ask;
    uint16_t cpu;
    uint32_t from_stretch;              /* none before it */
    uint64_t from_tsc, to_tsc;          /* stretches that have a part of this time; 0, UINT64_MAX: all */
    const struct listing_range *ranges; /* chunks that execute one of these; none: all */
    size_t nr_ranges;
    const bool *spaces;      /* and something in one of these, by number of the space; NULL: all */
    struct flow_hooks hooks; /* for flow_start */
    /* Is the chunk, which is the next, wanted although it executes nothing of these? NULL: no. */
    bool (*goes_on)(void *context, const struct index_chunk *chunk);
    /* Chunks that execute one of these are wanted as well now, in whatever space. NULL: there are none. */
    const struct listing_range *(*also)(void *context, size_t *count);
    /* Chunks before the next one are left out. known: they are decoded without a gap, and do not execute anything in
     * the spaces. NULL: no matter. */
    void (*left_out)(void *context, bool known);
    bool (*is_done)(void *context); /* nothing more is wanted; NULL: never */
    void *context;
    struct flow **flow; /* where to put the engine while it runs, for flow_context; NULL: nowhere */
};

/* By what it executes, is the chunk wanted? */
bool listing_wants(const struct listing *listing, const struct index_chunk *chunk);

/* The times that a chunk may have, as far as known: 0 and UINT64_MAX, where they are not. */
void listing_chunk_times(const struct ask *ask, const struct index_chunk *chunk, uint64_t *begin, uint64_t *end);

/* In the order of the trace. false: it could not be begun; error says why. */
bool listing_run(const struct listing *listing, struct error *error);

#endif
