/* The trace of one CPU, or a part of it, decoded from each stretch to the next. */
#ifndef DECODE_FLOW_SOURCE_H
#define DECODE_FLOW_SOURCE_H

#include <stdbool.h>

#include "decode/engine/flow.h"
#include "decode/flow/flow_cursor.h"
#include "decode/flow/flow_trace.h"

struct source {
    const struct flow_trace *trace;
    struct flow *flow;
    struct flow_cursor cursor;
    bool in_stretch;
    struct flow_gap gap;
    struct flow_batch gap_batch;
};

/* needs: flags of enum flow_need. false: error says why. */
bool source_open(struct source *source, const struct flow_trace *trace, struct flow_part part, unsigned needs,
                 struct error *error);
void source_close(struct source *source);

/* Continue with another part of the same trace. */
void source_seek(struct source *source, struct flow_part part);

/* The next batch: those of each stretch, and a FLOW_BATCH_GAP for bytes that no PSB precedes. NULL: the part ends. */
const struct flow_batch *source_next(struct source *source);

#endif
