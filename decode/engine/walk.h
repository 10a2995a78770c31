/* Follows the code as far as packets prove, and no further. */
#ifndef DECODE_ENGINE_WALK_H
#define DECODE_ENGINE_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/engine/engine_state.h"

/* Where a walk ends: before executing such an instruction. */
enum walk_goal {
    WALK_TO_ADDRESS,
    WALK_TO_TIP, /* an indirect branch or a far transfer */
    WALK_TO_PIP, /* MOV to CR3, VM entry, or a far transfer that may switch tasks */
    WALK_TO_PTWRITE,
    WALK_TO_PGD,    /* a branch that leaves the traced code, to the address given */
    WALK_TO_PGD_OUT /* a branch or MOV to CR3 that leaves the traced code, to an IP that no packet gives */
};

/* Walk without consuming a packet. FLOW_OK: execution is at the goal. */
enum flow_error walk_to(struct engine *engine, enum walk_goal goal, uint64_t address);

/* Can execution return to the same IP without a packet? */
enum walk_again {
    WALK_AGAIN_NEVER,
    WALK_AGAIN_FREELY, /* any number of times */
    WALK_AGAIN_HALTED  /* through a HLT: at most once, because only an event resumes execution, and has a packet */
};

/* For a walk that begins at ip; the current position does not change. */
enum walk_again walk_comes_again(struct engine *engine, uint64_t ip);

/* Follow count TNT bits, the oldest of which is the highest. Returns how many are left. If any are, *error says why:
 * FLOW_OK means that execution is at a branch that requires a TIP first. */
unsigned walk_bits(struct engine *engine, uint64_t bits, unsigned count, enum flow_error *error);

/* The block at ip. NULL: *error says why. */
struct block *walk_block_at(struct engine *engine, uint64_t ip, enum flow_error *error);

/* The block at the current IP. NULL: *error says why. */
struct block *walk_block(struct engine *engine, enum flow_error *error);

/* Execute a block, and continue at ip. */
void walk_leave(struct engine *engine, const struct block *block, uint64_t ip);

/* Add the block's branch to an address that a packet gives. */
void walk_branch(struct engine *engine, const struct block *block, uint64_t to);

/* Does the block end with a far transfer? */
bool walk_is_far(const struct block *block);

/* Execute the current block and its branch to an address that a packet gives, and update the stack of CALLs. */
void walk_by_packet(struct engine *engine, struct block *block, uint64_t to);

#endif
