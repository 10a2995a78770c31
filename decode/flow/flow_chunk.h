/* What became of a chunk of a trace. */
#ifndef DECODE_FLOW_CHUNK_H
#define DECODE_FLOW_CHUNK_H

#include <stdbool.h>
#include <stddef.h>

#include "decode/flow/flow_run.h"
#include "decode/flow/flow_trace.h"

struct flow_chunk {
    struct flow_run run; /* results, what is lost, and sums */
    size_t results_room;
};

/* Decode what begins in the part. keep: all results are wanted; else the first of those with an error. false: no
 * memory. */
bool flow_chunk_run(struct flow_chunk *chunk, struct flow *flow, const struct flow_trace *trace, struct flow_part part,
                    bool keep);

/* All chunks, in order, as one run; they are freed. false: no memory. */
bool flow_chunks_join(struct flow_run *run, struct flow_chunk *chunks, size_t count);

#endif
