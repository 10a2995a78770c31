/*
 * Branches and instructions that several threads decode at once, handed on in the order of the trace. The thread whose
 * turn it is hands on at once; the others hold what they have, up to a limit, and then wait for their turn: so memory
 * is bounded, and none waits for one behind it.
 */
#ifndef DECODE_FLOW_ORDER_H
#define DECODE_FLOW_ORDER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/engine/flow.h"

struct flow_order {
    pthread_mutex_t lock;
    pthread_cond_t turned;
    _Atomic size_t turn; /* the chunk that may hand on; chunks are numbered from 0 */
    const struct flow_hooks *hooks;
};

/* What a thread holds of its chunk: runs of branches or transfers of one time, or of instructions, and results, each
 * behind a head. */
struct flow_held {
    struct flow_order *order;
    size_t chunk;
    struct flow_branch *items;
    size_t used, room, head; /* head: of the last run */
};

void flow_order_init(struct flow_order *order, const struct flow_hooks *hooks);
void flow_order_destroy(struct flow_order *order);

/* Hooks for the chunk's thread; context is its struct flow_held. */
void flow_held_branches(void *held, const struct flow_branch *branches, size_t count, uint64_t tsc);
void flow_held_instruction(void *held, uint64_t ip);
void flow_held_transfers(void *held, const struct flow_transfers *transfers);
void flow_held_result(void *held, const struct flow_result *result);

/* The chunk is decoded: wait for its turn, hand on what is left, and give the turn to the next one. */
void flow_held_finish(struct flow_held *held);
void flow_held_free(struct flow_held *held);

#endif
