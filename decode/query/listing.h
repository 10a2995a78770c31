/* Decoding those parts of a capture that can contain what is requested: the index says which. */
#ifndef DECODE_QUERY_LISTING_H
#define DECODE_QUERY_LISTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/flow/source.h"
#include "decode/query/indexed_capture.h"

/* Linear addresses. */
struct listing_range {
    uint64_t begin, end;
};

enum listing_answer { LISTING_NO, LISTING_YES, LISTING_NOT_YET };

struct listing {
    const struct indexed_capture *indexed;
    uint16_t cpu;
    uint32_t from_stretch;              /* none before it */
    uint64_t from_tsc, to_tsc;          /* stretches that have a part of this time; 0, UINT64_MAX: all */
    const struct listing_range *ranges; /* chunks that execute one of these; none: all */
    size_t nr_ranges;
    const bool *spaces; /* and something in one of these, by number of the space; NULL: all */
    unsigned needs;     /* flags of enum flow_need; FLOW_NEED_TIME and FLOW_NEED_CONTEXT are always on */
    /* Is the chunk, which is the next, wanted although it executes nothing of these? NULL: no. */
    enum listing_answer (*goes_on)(void *context, const struct index_chunk *chunk);
    /* Chunks that execute one of these are wanted as well now, in whatever space. NULL: there are none. */
    const struct listing_range *(*also)(void *context, size_t *count);
    /* Chunks before the next one are left out. known: they are decoded without a gap, and do not execute anything in
     * the spaces. NULL: does not matter. */
    void (*left_out)(void *context, bool known);
    void *context;
};

/* A listing under way. */
struct listing_reader {
    struct listing listing;
    struct source source;
    uint64_t chunk;  /* index of the next chunk */
    bool in_chunk;   /* the source is in the one before it */
    bool out, known; /* chunks before the next one are left out; what is in them is known */
    bool waits;      /* for the answer to goes_on */
};

/* By what it executes, is the chunk wanted? */
bool listing_wants(const struct listing *listing, const struct index_chunk *chunk);

/* The times that a chunk may have, as far as known: 0 and UINT64_MAX, where they are not. */
void listing_chunk_times(const struct indexed_capture *indexed, const struct index_chunk *chunk, uint64_t *begin,
                         uint64_t *end);

/* false: error says why. */
bool listing_open(struct listing_reader *reader, const struct listing *listing, struct error *error);
void listing_close(struct listing_reader *reader);

/* The next batch, in the order of the trace. NULL: there is none; or goes_on cannot answer yet, and waits is set. */
const struct flow_batch *listing_next(struct listing_reader *reader);

#endif
