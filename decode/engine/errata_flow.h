/* How the engine handles errata (errata.h). */
#ifndef DECODE_ENGINE_ERRATA_FLOW_H
#define DECODE_ENGINE_ERRATA_FLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/engine/engine_state.h"
#include "pt/packet/packet.h"

/* Handle a packet that an erratum may have affected. true: the packet is to be skipped. */
bool errata_skip(struct engine *engine, const struct packet *packet);

/* BDM64: the walk from the last branch does not reach ip, of an abort's FUP. Is that due to the erratum? Then execution
 * is at ip now. */
bool errata_abort(struct engine *engine, uint64_t ip);

#endif
