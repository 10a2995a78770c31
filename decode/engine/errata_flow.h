/* What the engine does about errata (errata.h). */
#ifndef DECODE_ENGINE_ERRATA_FLOW_H
#define DECODE_ENGINE_ERRATA_FLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/engine/engine_state.h"
#include "pt/packet/packet.h"

/* The packet is none by an erratum, or was made what it should be. */
bool errata_skip(struct engine *engine, const struct packet *packet);

/* BDM64: the walk from the last branch does not reach ip, of an abort's FUP. Is that due to the erratum? Then execution
 * is at ip now. */
bool errata_abort(struct engine *engine, uint64_t ip);

#endif
