/* For undertrace trace --function: the times of the index's chunks, and which of them execute the function. */
#ifndef DECODE_CLI_TRACE_TRACE_CHUNKS_H
#define DECODE_CLI_TRACE_TRACE_CHUNKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/cli/trace/trace_list.h"

struct trace_chunk {
    uint64_t begin, end; /* times */
    uint16_t cpu;
    bool selected; /* it executes the function */
};

struct trace_chunks {
    struct trace_chunk *items; /* of all CPUs, in the order of the index; NULL: without --function */
    size_t count;
};

/* false: out of memory. */
bool trace_chunks_find(struct trace_chunks *chunks, const struct trace_list *list);
void trace_chunks_free(struct trace_chunks *chunks);

static inline const struct trace_chunk *trace_chunks_of(const struct trace_chunks *chunks,
                                                        const struct trace_list *list, const struct index_chunk *chunk)
{
    return &chunks->items[chunk - list->indexed->index.chunks];
}

/* Does another CPU execute the function within the chunk's time? */
bool trace_chunks_overlap(const struct trace_chunks *chunks, const struct trace_chunk *chunk);

#endif
