/*
 * Control flow: a stretch of trace from one PSB to the next, and the code that was executed, become branches.
 *
 * What a branch is, and the hash over them, is in decode/truth.h.
 */
#ifndef DECODE_FLOW_H
#define DECODE_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/engine/flow_event.h"
#include "decode/engine/flow_input.h"

/* What a stretch ends at, and so what is known of where execution stood there. */
enum flow_end {
    FLOW_ENDS_AT_GAP,     /* nothing is known */
    FLOW_ENDS_WITH_TRACE, /* there is no more: tracing is off, or the trace was cut */
    FLOW_ENDS_AT_PSB,     /* whose PSB+ says nothing: it is not whole, or packets were lost within it */
    FLOW_ENDS_AT_PSB_OFF, /* tracing is off there */
    FLOW_ENDS_AT_PSB_IP   /* it stands at boundary_ip, the FUP of the PSB+ */
};

/* A stretch of trace. */
struct flow_stretch {
    uint64_t begin; /* trace offset of its PSB */
    uint64_t end;   /* trace offset of the next PSB, of a gap, or the trace's size */
    enum flow_end ends;
    uint64_t boundary_ip;
    uint64_t tsc; /* of the PSB+ at begin; 0: it has none */
};

/* What became of it. */
struct flow_result {
    uint64_t begin, end, tsc;   /* as of the stretch */
    uint64_t branches;          /* in non-root */
    uint64_t hash;              /* of them, from TRUTH_HASH_SEED; only with flow_input.hashed */
    uint64_t instructions;      /* in non-root */
    uint64_t root_instructions; /* the traced ones: those around VM entries and exits */
    uint64_t last_to;           /* the last branch's target */
    uint64_t blocks, packets;
    uint32_t overflows;    /* OVF packets */
    enum flow_error error; /* but for FLOW_OK, decoding stopped at error_offset */
    uint64_t error_offset, error_ip, error_space;
};

struct flow_branch {
    uint64_t from, to; /* linear addresses; decode/truth.h says of what */
};

/* What to call for branches, several at a time and of one time (tsc: 0 unless flow_input.timed is set), for every
 * instruction of the guest, and for every event, in order, before the stretch's result is complete. NULL: nothing;
 * without instruction, decoding is several times as fast. With event, what was walked up to an error is told as
 * executed: it leads to where packets and code part. */
struct flow_hooks {
    void (*branches)(void *context, const struct flow_branch *branches, size_t count, uint64_t tsc);
    void (*instruction)(void *context, uint64_t ip);
    void (*event)(void *context, const struct flow_event *event);
    void *context;
};

/* An engine: how stretches are decoded. */
struct flow_ops {
    /* The state of one thread. NULL: error says why. */
    void *(*open)(const struct flow_input *input, const struct flow_hooks *hooks, struct error *error);
    void (*decode)(void *state, const struct flow_stretch *stretch, struct flow_result *result);
    void (*close)(void *state);
    const struct hot *(*inferred)(const void *state);
};

/* decode/engine/: ours. Tests have another one, to compare: flow_use() takes it for all that is begun from then on. */
extern const struct flow_ops flow_engine_own;
void flow_use(const struct flow_ops *ops);

struct flow; /* the state of one thread */

/* NULL: error says why. */
struct flow *flow_start(const struct flow_input *input, const struct flow_hooks *hooks, struct error *error);
void flow_end(struct flow *flow);

/* The pages of spaces that were needed so far and of which no record says what they are: code_pages.h. */
const struct hot *flow_inferred(const struct flow *flow);

/* Decode a stretch, as far as packets prove what was executed: not across errors, nor behind the last packet, but where
 * the next PSB+ says up to where. Stretches come in the order of the trace. */
void flow_decode(struct flow *flow, const struct flow_stretch *stretch, struct flow_result *result);

#endif
