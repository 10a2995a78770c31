/*
 * The stretches of a trace, one after another, as far as they begin in a range of trace offsets; and what precedes
 * the first PSB of a span. What is found does not depend on where ranges are cut: those of all ranges are those of the
 * whole trace. Pure.
 */
#ifndef DECODE_FLOW_CURSOR_H
#define DECODE_FLOW_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/capture/gaps.h"
#include "decode/engine/flow.h"
#include "decode/flow/flow_span.h"

/* A part of a trace: what begins in [from, to). */
struct flow_part {
    uint64_t from, to;
};

/* Part 1 to nr_parts of a trace of size bytes, about as many bytes each; part 0: all of it. */
struct flow_part flow_part(uint64_t size, uint32_t part, uint32_t nr_parts);

enum flow_found {
    FLOW_FOUND_NOTHING, /* the part is at its end */
    FLOW_FOUND_STRETCH, /* stretch */
    FLOW_FOUND_LOST     /* lost: bytes that no PSB precedes */
};

struct flow_cursor {
    const uint8_t *bytes; /* of the whole trace */
    uint64_t size;
    const struct gaps *gaps;
    const struct cpu_clock *clock; /* NULL: the TSC is the clock of the trace */
    struct flow_part part;
    struct flow_stretch stretch;
    struct flow_span lost;
    bool lost_has_branches; /* their packets report branches, or are no packets */
    /* its position */
    struct flow_span span;
    size_t gap;
    uint64_t at; /* in the span */
    bool in_span, head;
};

void flow_cursor_begin(struct flow_cursor *cursor, const uint8_t *bytes, uint64_t size, const struct gaps *gaps,
                       struct flow_part part);
enum flow_found flow_cursor_next(struct flow_cursor *cursor);

#endif
