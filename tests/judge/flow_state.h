/* From blocks and events, as a packet engine gives them, to branches. */
#ifndef DECODE_FLOW_STATE_H
#define DECODE_FLOW_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/engine/flow.h"
#include "tests/judge/flow_tail.h"
#include "tests/judge/judge_items.h"
#include "tests/judge/packet_engine.h"

/* An interrupt or a VM exit: which of both, the paging event behind it tells. */
struct flow_async {
    bool pending;
    bool non_root; /* where it came from */
    uint64_t from, to, tsc;
};

struct judge {
    const struct flow_input *input;
    unsigned needs;           /* enum flow_need */
    struct judge_items items; /* what is delivered */
    const struct packet_engine_ops *ops;
    struct packet_engine *engine;
    struct packet_engine *single;    /* where instructions are needed: one that steps by single instructions */
    bool silent;                     /* deliver nothing */
    const struct flow_result *bound; /* not NULL: take no more than this, which the blocks are */
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

/* The packets are used up: drop what belongs behind the PSB, or what nothing proves. The walk behind the last packet
 * ended there, with this error. */
enum flow_error flow_end_stretch(struct judge *flow, const struct flow_stretch *stretch, enum flow_error walked,
                                 const struct flow_stop *there);

/* An error, or bytes that are missing: what packets prove did run, and no more is known. */
void flow_break_off(struct judge *flow);

/* The last block's branch led to where nothing is traced, and no packet says where to. Its target, where the code tells
 * it, or TRUTH_TO_UNRESOLVED. With walked_past (struct packet_event), blocks behind it, which the engine only supposed,
 * are dropped. */
uint64_t flow_unresolved_target(struct judge *flow, bool walked_past);

#endif
