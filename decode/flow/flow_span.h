/*
 * Spans: the parts of a trace between its gaps. A packet cannot be decoded from the bytes of two spans, so decoding
 * starts again after each gap. Pure.
 */
#ifndef DECODE_FLOW_SPAN_H
#define DECODE_FLOW_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/capture/gaps.h"

struct flow_span {
    uint64_t begin, end; /* trace offsets */
};

/* The span after *span, of a trace of size bytes; for the first one, *span and *gap are zeros. *gap: how many of the
 * gaps have been passed. false: there is none any more. */
bool flow_span_next(struct flow_span *span, size_t *gap, const struct gaps *gaps, uint64_t size);

#endif
