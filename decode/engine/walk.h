/* Along the code, as far as packets say. The walk is lazy: it goes no further than a packet proves. */
#ifndef DECODE_ENGINE_WALK_H
#define DECODE_ENGINE_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/engine/engine_state.h"

/* Up to what the walk goes. */
enum walk_goal {
    WALK_TO_ADDRESS,
    WALK_TO_TIP, /* an indirect branch or a far transfer */
    WALK_TO_PIP, /* MOV to CR3, VM entry, or a far transfer that may switch tasks */
    WALK_TO_PTWRITE,
    WALK_TO_PGD,    /* a branch that leaves what is traced, to the address given */
    WALK_TO_PGD_OUT /* a branch or another instruction that leaves it, to an IP that no packet gives */
};

/* Walk without a packet. FLOW_OK: execution is at the goal. */
enum flow_error walk_to(struct engine *engine, enum walk_goal goal, uint64_t address);

/* Would execution come to the same IP again? */
enum walk_again {
    WALK_AGAIN_NEVER,  /* not without a packet */
    WALK_AGAIN_FREELY, /* a packet with this IP does not say how often it has been here */
    WALK_AGAIN_HALTED  /* by way of a HLT, which ends with a packet: at most once between two of them */
};

/* From ip on; execution stays where it is. */
enum walk_again walk_comes_again(struct engine *engine, uint64_t ip);

/* The last count bits of a TNT packet, the oldest in the highest. Returns how many are left: none, or else *error says
 * why; FLOW_OK: execution is at a branch that needs a TIP before it continues with them. */
unsigned walk_bits(struct engine *engine, uint64_t bits, unsigned count, enum flow_error *error);

/* The block at ip. NULL: *error says why. */
struct block *walk_block_at(struct engine *engine, uint64_t ip, enum flow_error *error);

/* The block at the current IP. NULL: *error says why. */
struct block *walk_block(struct engine *engine, enum flow_error *error);

/* The block was executed, and led to ip. */
void walk_leave(struct engine *engine, const struct block *block, uint64_t ip);

/* The branch of the block was executed, to the IP to in a packet; to_mode: of the code there. */
void walk_branch(struct engine *engine, const struct block *block, uint64_t to, enum instruction_mode to_mode);

/* The current block was executed, and its branch led to the IP to in a packet. The stack of CALLs is updated. */
void walk_by_packet(struct engine *engine, struct block *block, uint64_t to, enum instruction_mode to_mode);

#endif
