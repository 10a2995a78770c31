/* Converts the blocks and events of a packet engine to branches. */
#ifndef DECODE_FLOW_STATE_H
#define DECODE_FLOW_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/engine/flow.h"
#include "tests/judge/flow_tail.h"
#include "tests/judge/judge_items.h"
#include "tests/judge/packet_engine.h"

/* An interrupt or a VM exit. A paging event after it decides which. */
struct flow_async {
    bool pending;
    bool non_root; /* of `from` */
    uint64_t from, to, tsc;
};

struct judge {
    const struct flow_input *input;
    unsigned needs;           /* enum flow_need */
    struct judge_items items; /* what is delivered */
    const struct packet_engine_ops *ops;
    struct packet_engine *engine;
    struct packet_engine *single;    /* if instructions are needed: an engine that steps by single instructions */
    bool silent;                     /* deliver nothing */
    const struct flow_result *bound; /* not NULL: take no more than this, the result of decoding by blocks */
    struct flow_tail tail;
    struct flow_async async;
    bool non_root;
    unsigned bits;                          /* of the last block: 16, 32, 64 */
    uint64_t space;                         /* of the last block */
    uint64_t code_at;                       /* trace offset for which the code is read */
    struct flow_result *result, own_result; /* own_result: of the stretch, while its batches are pulled */
};

/* The engine's sink; the context is a struct judge. */
enum flow_error flow_take_block(void *flow, const struct judge_block *block);
enum flow_error flow_take_event(void *flow, const struct packet_event *event);

/* The packets are used up: drop what belongs after the PSB, or what no packet proves. there: where the walk after the
 * last packet ended, with the error walked. */
enum flow_error flow_end_stretch(struct judge *flow, const struct flow_stretch *stretch, enum flow_error walked,
                                 const struct flow_stop *there);

/* After an error or missing bytes: only what packets prove was executed. */
void flow_break_off(struct judge *flow);

/* The last block's branch left the traced code, and its packet has no IP. Returns its target if the code gives it, else
 * TRUTH_TO_UNRESOLVED. With walked_past (struct packet_event), blocks after it, which the engine only assumed, are
 * dropped. */
uint64_t flow_unresolved_target(struct judge *flow, bool walked_past);

#endif
