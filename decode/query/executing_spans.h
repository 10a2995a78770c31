/* The times in which the index has code of some addresses, for a search that decodes only these. Pure. */
#ifndef DECODE_QUERY_EXECUTING_SPANS_H
#define DECODE_QUERY_EXECUTING_SPANS_H

#include "decode/query/listing.h"

/* TSCs, both inclusive; 0 and UINT64_MAX where they are not known. */
struct time_span {
    uint64_t begin, end;
};

/* Of each chunk that executed code of one of the ranges, on any CPU. NULL: no memory. */
struct time_span *executing_spans(const struct indexed_capture *indexed, const struct listing_range *ranges,
                                  size_t nr_ranges, size_t *count);

/* The search for the first event after a time in some spans, or for the last one before it. */
struct span_search {
    bool before;
    uint64_t than;
    struct time_span *spans; /* those that are left */
    size_t count;
    size_t most; /* how many of them are searched next */
};

/* Sorts the spans, which remain the caller's. */
struct span_search span_search_begin(struct time_span *spans, size_t count, bool before, uint64_t than);

/* The part that is to be searched next: each event in the spans that is nearer to the time than one in this part is in
 * it or was in an earlier part. Parts have ever more spans, so that many of them take no longer than twice the trace.
 * false: nothing is left. */
bool span_search_next(struct span_search *search, struct time_span *part);

#endif
