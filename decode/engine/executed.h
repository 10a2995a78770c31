/*
 * What was executed, on its way to who asked for it. The walk runs ahead of what a packet proves by the instructions up
 * to the one that takes the packet; if there is none, what it supposed is dropped. So branches stay here until they are
 * proven, and are handed on many at a time.
 */
#ifndef DECODE_ENGINE_EXECUTED_H
#define DECODE_ENGINE_EXECUTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/engine/flow.h"
#include "decode/engine/transfers.h"
#include "decode/truth.h"

/* More instructions than this without a packet: a loop without an end. The fuzzers have less, and so try more. */
#ifndef EXECUTED_MAX_UNPROVEN
#define EXECUTED_MAX_UNPROVEN 131072u
#endif

/* Handed on at the latest when so many are proven. */
#define EXECUTED_BATCH 2048u

struct executed {
    struct flow_branch *items;
    bool *is_listed; /* with an instruction or block hook: the item is one, at from; NULL: all are branches */
    uint8_t *kinds;  /* of each branch, enum instruction_kind or TRANSFERS_EVENT; NULL: no hook wants it */
    struct transfers *transfers; /* with that hook: on their way to it */
    size_t used, proven;
    uint64_t instructions, proven_instructions; /* since the last time that some were handed on */
    uint64_t blocks;
    uint64_t last_listed; /* the last instruction that was handed on; 0: none since executed_begin */
    size_t handed_on;     /* items, since packets_run began */
    uint64_t tsc;         /* of what is proven from now on */
    uint64_t tsc_error;   /* it was not more than so many ticks earlier or later, or FLOW_TSC_ERROR_UNKNOWN */
    bool hashed;          /* flow_input.hashed */
    bool placed;          /* flow_input.placed */
    uint64_t cr3;         /* as the last PIP told it, or FLOW_CR3_UNKNOWN */
    uint64_t at;          /* trace offset for which the code is read */
    bool non_root;        /* it is the guest's: root's is counted, but handed on to nobody */
    struct flow_hooks hooks;
    struct flow_result *result;
};

/* false: no memory. */
bool executed_init(struct executed *executed, const struct flow_hooks *hooks, const struct flow_input *input);
void executed_free(struct executed *executed);

/* A stretch begins; what there is goes to result. */
void executed_begin(struct executed *executed, struct flow_result *result);

/* The stretch has ended, and result is complete. */
void executed_end(struct executed *executed);

/* Hand on what is proven. What is not stays. */
void executed_flush(struct executed *executed);

/* Of the guest: all that is proven, and then where it stands. */
void executed_stand(struct executed *executed, bool runs, uint64_t ip);

/* kind: enum instruction_kind, or TRANSFERS_EVENT. */
static inline void executed_branch(struct executed *executed, uint64_t from, uint64_t to, uint8_t kind)
{
    if (executed->is_listed)
        executed->is_listed[executed->used] = false;
    if (executed->kinds)
        executed->kinds[executed->used] = kind;
    executed->items[executed->used++] = (struct flow_branch){from, to};
}

/* Only with an instruction hook. */
static inline void executed_instruction(struct executed *executed, uint64_t ip)
{
    executed->is_listed[executed->used] = true;
    executed->items[executed->used++].from = ip;
}

/* Only with a block hook: a block up to end; size: of its last instruction. Two items. */
static inline void executed_block(struct executed *executed, uint64_t first, uint64_t end, uint32_t size,
                                  uint32_t instructions)
{
    executed_instruction(executed, first);
    executed->items[executed->used++] = (struct flow_branch){end, (uint64_t)size << 32 | instructions};
}

/* All up to here did run. */
static inline void executed_prove(struct executed *executed)
{
    executed->proven = executed->used;
    executed->proven_instructions = executed->instructions;
}

/* More instructions than any way through code has without a packet: of all walks since the last thing that was proven,
 * as there is no room for more. */
static inline bool executed_runs_on(const struct executed *executed)
{
    return executed->instructions - executed->proven_instructions > EXECUTED_MAX_UNPROVEN;
}

/* What is not proven did not run. */
static inline void executed_drop(struct executed *executed)
{
    executed->used = executed->proven;
    executed->instructions = executed->proven_instructions;
}

/* From now on code is read for this trace offset. */
static inline void executed_at(struct executed *executed, uint64_t at)
{
    if (executed->kinds && at != executed->at)
        executed_flush(executed);
    executed->at = at;
}

/* From now on it is the guest's, or root's, and of this CR3. */
static inline void executed_by(struct executed *executed, bool non_root, uint64_t cr3)
{
    if (non_root != executed->non_root || (executed->placed && cr3 != executed->cr3))
        executed_flush(executed);
    executed->non_root = non_root;
    executed->cr3 = cr3;
}

#endif
