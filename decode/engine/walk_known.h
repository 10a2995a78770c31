/* The fast path of the walk, for code that is known already. Nearly all of the time is spent here. */
#ifndef DECODE_ENGINE_WALK_KNOWN_H
#define DECODE_ENGINE_WALK_KNOWN_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/engine/engine_state.h"

/* Can the fast path be used? Not for 16-bit code, not in a code segment with a base, and not if instructions or blocks
 * are needed. */
static inline bool walk_known_may(const struct engine *engine)
{
    return (engine->mode == INSTRUCTION_64 || (engine->mode == INSTRUCTION_32 && engine->cs_base == 0)) &&
           !engine->listing;
}

/* Follow count TNT bits as far as the blocks are known already. Execution is at the beginning of a block afterwards.
 * Returns how many bits are left. */
unsigned walk_known(struct engine *engine, uint64_t bits, unsigned count);

/* Follow the code in the same way to the near branch that consumes a TIP, and on to ip. false: the branch was not
 * reached, and execution is as far as known code leads. */
bool walk_known_tip(struct engine *engine, uint64_t ip);

#endif
