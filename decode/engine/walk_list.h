/* Lists executed instructions or blocks, if they are needed. */
#ifndef DECODE_ENGINE_WALK_LIST_H
#define DECODE_ENGINE_WALK_LIST_H

#include <stdint.h>

#include "decode/engine/engine_state.h"

/* List the first count instructions of a block: those that were executed. */
void walk_list(struct engine *engine, const struct block *block, uint32_t count);

#endif
