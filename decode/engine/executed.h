/*
 * What was executed, until the consumer pulls it. The walk runs ahead, up to the instruction that consumes the next
 * packet. If it finds no such instruction, what it assumed is dropped. So items are unproven until a packet proves
 * them. Proven items become a batch when their context changes, or when there are many.
 */
#ifndef DECODE_ENGINE_EXECUTED_H
#define DECODE_ENGINE_EXECUTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/engine/batch.h"
#include "decode/truth.h"
#include "pt/instruction/instruction.h"

/* More instructions than this without a packet mean an endless loop. The fuzzers use a lower limit, in order to reach
 * it. */
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
    uint8_t *tags; /* one for each item; NULL: not needed */
    size_t room;
    size_t begin, proven, used;                 /* items before begin are in batches, those before proven are proven */
    uint64_t instructions, proven_instructions; /* since the last flush */
    uint64_t blocks;
    size_t flushed;                        /* items put into batches since packets_run began */
    uint64_t conditional;                  /* conditional branches since the last transfer in a batch */
    unsigned needs;                        /* enum flow_need */
    const enum instruction_mode *mode;     /* the engine's */
    bool non_root;                         /* in non-root operation; root's instructions are only counted */
    bool no_memory;                        /* memory ran out, and a batch is missing */
    struct flow_context context;           /* of the items that are proven from now on */
    struct executed_batch *batches;        /* those that wait to be pulled */
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

/* Make a batch of the proven items. */
void executed_flush(struct executed *executed);

/* The next batch. NULL: there is none; then the memory of the batches that were pulled is reused. */
const struct flow_batch *executed_next(struct executed *executed);

/* Make a batch of the proven items, and one with the guest's position. */
void executed_position(struct executed *executed, bool running, uint64_t ip);

/* tag: enum instruction_kind, or FLOW_TAG_EVENT. */
static inline void executed_branch(struct executed *executed, uint64_t from, uint64_t to, uint8_t tag)
{
    if (executed->tags)
        executed->tags[executed->used] = tag;
    executed->items[executed->used++].branch = (struct flow_branch){from, to};
}

/* Call only with FLOW_NEED_INSTRUCTIONS. */
static inline void executed_instruction(struct executed *executed, uint64_t ip)
{
    executed->tags[executed->used] = FLOW_TAG_INSTRUCTION;
    executed->items[executed->used++].instruction = ip;
}

/* Call only with FLOW_NEED_BLOCKS. */
static inline void executed_block(struct executed *executed, struct flow_block block)
{
    executed->tags[executed->used] = FLOW_TAG_BLOCK;
    executed->items[executed->used++].block = block;
}

/* A packet proves all items so far. */
static inline void executed_prove(struct executed *executed)
{
    executed->proven = executed->used;
    executed->proven_instructions = executed->instructions;
}

/* Are there more unproven instructions than code without a loop can have? */
static inline bool executed_runs_on(const struct executed *executed)
{
    return executed->instructions - executed->proven_instructions > EXECUTED_MAX_UNPROVEN;
}

/* Drop unproven items: they were not executed. */
static inline void executed_drop(struct executed *executed)
{
    executed->used = executed->proven;
    executed->instructions = executed->proven_instructions;
}

static inline bool executed_has_batch(const struct executed *executed)
{
    return executed->proven - executed->begin > EXECUTED_BATCH;
}

/* Items are executed with the code of this trace offset from now on. */
static inline void executed_at(struct executed *executed, uint64_t at)
{
    if (executed->tags && at != executed->context.at)
        executed_flush(executed);
    executed->context.at = at;
}

/* Items are executed in this mode of operation and with this CR3 from now on. */
static inline void executed_by(struct executed *executed, bool non_root, uint64_t cr3)
{
    if (non_root != executed->non_root || (executed->needs & FLOW_NEED_CONTEXT && cr3 != executed->context.cr3))
        executed_flush(executed);
    executed->non_root = non_root;
    executed->context.cr3 = cr3;
}

#endif
