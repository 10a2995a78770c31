/*
 * What was executed, until the consumer pulls it. The walk runs ahead of what a packet proves by the instructions up to
 * the one that consumes the packet; if there is none, what it assumed is dropped. So items stay unproven until a packet
 * proves them, and proven items become a batch when their context changes or there are many.
 */
#ifndef DECODE_ENGINE_EXECUTED_H
#define DECODE_ENGINE_EXECUTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/engine/batch.h"
#include "decode/truth.h"
#include "pt/instruction/instruction.h"

/* More instructions than this without a packet are an endless loop. The fuzzers use a smaller limit, to reach it. */
#ifndef EXECUTED_MAX_UNPROVEN
#define EXECUTED_MAX_UNPROVEN 131072u
#endif

/* When so many items are proven, they become a batch. */
#define EXECUTED_BATCH 2048u

/* A batch that waits to be pulled. */
struct executed_batch {
    struct flow_batch batch;
    size_t first; /* index of its first item */
};

struct executed {
    union flow_item *items;
    uint8_t *tags; /* of each item; NULL: not needed */
    size_t room;
    size_t begin, proven, used;                 /* items: up to begin in batches, up to proven proven */
    uint64_t instructions, proven_instructions; /* since the last flush */
    uint64_t blocks;
    size_t flushed;                        /* items, since packets_run began */
    uint64_t conditional;                  /* branches since the last transfer in a batch */
    unsigned needs;                        /* enum flow_need */
    const enum instruction_mode *mode;     /* the engine's */
    bool non_root;                         /* the guest's: root's instructions are counted, but in no batch */
    bool no_memory;                        /* a batch is missing */
    struct flow_context context;           /* of what is proven from now on */
    struct executed_batch *batches;        /* that wait */
    size_t nr_batches, batches_room, next; /* next: the next to be pulled */
    struct flow_result result;
};

/* false: no memory. */
bool executed_init(struct executed *executed, const struct flow_input *input, unsigned needs,
                   const enum instruction_mode *mode);
void executed_free(struct executed *executed);

/* A stretch begins. */
void executed_begin(struct executed *executed, uint64_t begin, uint64_t end, uint64_t tsc);

/* The stretch has ended, and the result is complete. */
void executed_end(struct executed *executed);

/* Make a batch of what is proven. */
void executed_flush(struct executed *executed);

/* The next batch that waits. NULL: none does; the room of those that were pulled is then used again. */
const struct flow_batch *executed_next(struct executed *executed);

/* Make a batch of all that is proven, and one of the guest's position. */
void executed_position(struct executed *executed, bool running, uint64_t ip);

/* tag: enum instruction_kind, or FLOW_TAG_EVENT. */
static inline void executed_branch(struct executed *executed, uint64_t from, uint64_t to, uint8_t tag)
{
    if (executed->tags)
        executed->tags[executed->used] = tag;
    executed->items[executed->used++].branch = (struct flow_branch){from, to};
}

/* Only where instructions are needed. */
static inline void executed_instruction(struct executed *executed, uint64_t ip)
{
    executed->tags[executed->used] = FLOW_TAG_INSTRUCTION;
    executed->items[executed->used++].instruction = ip;
}

/* Only where blocks are needed. */
static inline void executed_block(struct executed *executed, struct flow_block block)
{
    executed->tags[executed->used] = FLOW_TAG_BLOCK;
    executed->items[executed->used++].block = block;
}

/* All up to here was executed. */
static inline void executed_prove(struct executed *executed)
{
    executed->proven = executed->used;
    executed->proven_instructions = executed->instructions;
}

/* Are there more unproven instructions than any path through code has without a packet? */
static inline bool executed_runs_on(const struct executed *executed)
{
    return executed->instructions - executed->proven_instructions > EXECUTED_MAX_UNPROVEN;
}

/* What is not proven was not executed. */
static inline void executed_drop(struct executed *executed)
{
    executed->used = executed->proven;
    executed->instructions = executed->proven_instructions;
}

static inline bool executed_has_batch(const struct executed *executed)
{
    return executed->proven - executed->begin > EXECUTED_BATCH;
}

/* From now on code is read as of this trace offset. */
static inline void executed_at(struct executed *executed, uint64_t at)
{
    if (executed->tags && at != executed->context.at)
        executed_flush(executed);
    executed->context.at = at;
}

/* From now on it is the guest's, or root's, and of this CR3. */
static inline void executed_by(struct executed *executed, bool non_root, uint64_t cr3)
{
    if (non_root != executed->non_root || (executed->needs & FLOW_NEED_CONTEXT && cr3 != executed->context.cr3))
        executed_flush(executed);
    executed->non_root = non_root;
    executed->context.cr3 = cr3;
}

#endif
