/* Along code that is known already: where nearly all of the time is spent. */
#ifndef DECODE_ENGINE_WALK_KNOWN_H
#define DECODE_ENGINE_WALK_KNOWN_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/engine/engine_state.h"

/* Not of 16-bit code, nor where instructions are listed. */
static inline bool walk_known_may(const struct engine *engine)
{
    return engine->mode != INSTRUCTION_16 && !engine->listing;
}

/* The last count bits of a TNT packet as far as code is known already, and nothing is to be done but branches:
 * execution is at the beginning of a block. Returns how many bits are left. */
unsigned walk_known(struct engine *engine, uint64_t bits, unsigned count);

/* A TIP's near branch, to ip, in the same way. false: it went as far as it could; the branch is still to be found. */
bool walk_known_tip(struct engine *engine, uint64_t ip);

#endif
