/*
 * Control flow: reconstructs branches from a stretch of trace, from one PSB to the next, and the code.
 *
 * decode/truth.h defines branches, and the hash over branches.
 */
#ifndef DECODE_FLOW_H
#define DECODE_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/engine/batch.h"
#include "decode/engine/flow_input.h"

/* How a stretch ends, and so what is known about the position of execution there. */
enum flow_end {
    FLOW_ENDS_AT_GAP,     /* nothing is known */
    FLOW_ENDS_WITH_TRACE, /* the trace ends: tracing is off, or the trace was cut */
    FLOW_ENDS_AT_PSB,     /* its PSB+ gives no IP: it is incomplete, or packets were lost within it */
    FLOW_ENDS_AT_PSB_OFF, /* tracing is off there */
    FLOW_ENDS_AT_PSB_IP   /* execution is at boundary_ip, the FUP of the PSB+ */
};

/* A stretch of trace. */
struct flow_stretch {
    uint64_t begin; /* trace offset of its PSB */
    uint64_t end;   /* trace offset of the next PSB, of a gap, or the trace's size */
    enum flow_end ends;
    uint64_t boundary_ip;
    uint64_t tsc;     /* of the PSB+ at begin; 0: it has none */
    uint64_t end_tsc; /* of the PSB+ at end; 0: there is none, or it has none */
};

/* An engine: how stretches are decoded. */
struct flow_ops {
    /* The state of one thread. NULL: error says why. needs: flags of enum flow_need. */
    void *(*open)(const struct flow_input *input, unsigned needs, struct error *error);
    void (*begin)(void *state, const struct flow_stretch *stretch);
    const struct flow_batch *(*next)(void *state);
    void (*close)(void *state);
    const struct hot *(*inferred)(const void *state);
};

/* decode/engine/ is the product's engine. Tests compare it with another one: flow_use() selects the engine of every
 * flow that is started from then on. */
extern const struct flow_ops flow_engine_own;
void flow_use(const struct flow_ops *ops);

struct flow; /* the state of one thread */

/* needs: flags of enum flow_need. NULL: error says why. */
struct flow *flow_start(const struct flow_input *input, unsigned needs, struct error *error);
void flow_end(struct flow *flow);

/* The pages that were needed so far and that no record of their space names, so that they were inferred: code_pages.h.
 */
const struct hot *flow_inferred(const struct flow *flow);

/* Begin a stretch. It is decoded as far as packets prove what was executed: up to an error, or up to the last packet,
 * or up to the IP in the next PSB+, if that has one. The stretch must remain valid until the next call. Stretches must
 * come in the order of the trace. */
void flow_begin(struct flow *flow, const struct flow_stretch *stretch);

/* The stretch's next batch; the last one is FLOW_BATCH_END. NULL: there is none after that. */
const struct flow_batch *flow_next(struct flow *flow);

#endif
