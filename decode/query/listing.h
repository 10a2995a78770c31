/* Decoding only those parts of a capture that, by the index, can contain what was requested. */
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
    uint32_t from_stretch;              /* the first stretch that may be listed */
    uint64_t from_tsc, to_tsc;          /* only stretches that overlap this time; 0, UINT64_MAX: all */
    const struct listing_range *ranges; /* only chunks that executed code in one of these; none: all */
    size_t nr_ranges;
    const bool *spaces; /* and only chunks that executed code in one of these spaces, by index; NULL: all */
    unsigned needs;     /* flags of enum flow_need; FLOW_NEED_TIME and FLOW_NEED_CONTEXT are always on */
    /* Is the next chunk needed although it does not match ranges and spaces? NULL: no. */
    enum listing_answer (*continues)(void *context, const struct index_chunk *chunk);
    /* More ranges that match from now on, in any space. NULL: there are none. */
    const struct listing_range *(*also)(void *context, size_t *count);
    /* The chunks before the next batch were skipped. known: they were decoded without a gap, and executed no code in
     * the spaces. May be NULL. */
    void (*left_out)(void *context, bool known);
    void *context;
};

/* A listing under way. */
struct listing_reader {
    struct listing listing;
    struct source source;
    uint64_t chunk;  /* index of the next chunk */
    bool in_chunk;   /* the source is in the chunk before that */
    bool out, known; /* out: chunks before the next one were skipped; known: as in left_out */
    bool waits;      /* continues answered LISTING_NOT_YET */
};

/* Do the addresses and spaces that the chunk executed match ranges and spaces? */
bool listing_matches(const struct listing *listing, const struct index_chunk *chunk);

/* The earliest and the latest TSC of a chunk; 0 and UINT64_MAX where they are not known. */
void listing_chunk_times(const struct indexed_capture *indexed, const struct index_chunk *chunk, uint64_t *begin,
                         uint64_t *end);

/* false: error says why. */
bool listing_open(struct listing_reader *reader, const struct listing *listing, struct error *error);
void listing_close(struct listing_reader *reader);

/* The next batch, in the order of the trace. NULL: there is none, or continues cannot answer yet, and waits is set. */
const struct flow_batch *listing_next(struct listing_reader *reader);

#endif
