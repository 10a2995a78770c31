/* A CPU's trace, ready to be decoded: its packets cut at the PSBs, its code pages, what the hello record says. */
#ifndef DECODE_FLOW_TRACE_H
#define DECODE_FLOW_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/capture/capture.h"
#include "decode/capture/gaps.h"
#include "decode/engine/flow.h"
#include "decode/flow/flow_span.h"

/* Bytes that no PSB stands before: at the beginning, and behind gaps. */
struct flow_lost {
    struct flow_span *spans; /* those that tell of branches */
    size_t count;
    uint64_t bytes; /* of all, also those that tell of none */
};

struct flow_trace {
    struct code_pages pages;
    struct flow_input input; /* names pages: a flow_trace is not to be copied */
    struct flow_stretch *stretches;
    size_t nr_stretches;
    struct gaps gaps;
    struct flow_lost lost;
};

/* false: error says why. flow_trace_close is needed in both cases. */
bool flow_trace_open(struct flow_trace *trace, const struct capture *capture, uint16_t cpu, struct error *error);

/* For whoever fills a flow_trace: cut these bytes at the PSBs, which they must outlive; gaps are known. false: no
 * memory. */
bool flow_trace_cut(struct flow_trace *trace, const uint8_t *bytes, uint64_t size);
void flow_trace_close(struct flow_trace *trace);
void flow_lost_free(struct flow_lost *lost);

#endif
