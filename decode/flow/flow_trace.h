/* A CPU's trace, ready to be decoded: its packets cut at the PSBs, its code pages, what the hello record says. */
#ifndef DECODE_FLOW_TRACE_H
#define DECODE_FLOW_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/capture/capture.h"
#include "decode/capture/gaps.h"
#include "decode/engine/flow.h"
#include "decode/flow/flow_cursor.h"
#include "decode/flow/flow_span.h"

/* Bytes that no PSB precedes: at the beginning, and after gaps. */
struct flow_lost {
    struct flow_span *spans; /* those that report branches */
    size_t count, room;
    uint64_t bytes; /* of all, also those that report none */
};

struct flow_trace {
    struct code_pages pages;
    struct flow_input input; /* names pages: a flow_trace is not to be copied */
    struct flow_stretch *stretches;
    size_t nr_stretches, stretches_room;
    struct gaps gaps;
    bool mapped; /* the trace is a file's: what has been read of it may be given back */
    struct flow_lost lost;
};

/* false: error says why. flow_trace_close is needed in both cases. */
bool flow_trace_open(struct flow_trace *trace, const struct capture *capture, uint16_t cpu, struct error *error);

/* The same without its stretches and what is lost: those are what a cursor finds. */
bool flow_trace_open_uncut(struct flow_trace *trace, const struct capture *capture, uint16_t cpu, struct error *error);
void flow_trace_cursor(struct flow_cursor *cursor, const struct flow_trace *trace, struct flow_part part);

/* What the timing packets count in, and whether RETs are compressed: from the hello record. */
void flow_trace_clocks(struct flow_input *input, struct record_text hello);

/* Find the stretches, and what is lost, of a trace without them; its input and its gaps are known. false: no memory. */
bool flow_trace_cut(struct flow_trace *trace);

/* All before trace offset at has been read, up to *passed it is known already: now and then it is given back. */
void flow_trace_pass(const struct flow_trace *trace, uint64_t *passed, uint64_t at);

void flow_trace_close(struct flow_trace *trace);
/* One more span that reports branches; what a cursor has found. false: no memory. */
bool flow_lost_add(struct flow_lost *lost, struct flow_span span);
bool flow_lost_take(struct flow_lost *lost, const struct flow_cursor *cursor);
void flow_lost_free(struct flow_lost *lost);

#endif
