/* Reads the trace, packet by packet. */
#ifndef DECODE_ENGINE_PACKETS_H
#define DECODE_ENGINE_PACKETS_H

#include <stdbool.h>

#include "decode/engine/engine_state.h"

/* Take the packets from at to end, or until some thousand items are in batches. to_psb: a PSB follows end, so that
 * the last packet must end there; otherwise it may be truncated. After an error, engine.packet is the packet that
 * cannot be followed. */
enum flow_error packets_run(struct engine *engine, bool to_psb);

/* Read the packet at engine.at. FLOW_OK with size 0: the trace ends within the packet. */
enum flow_error packets_read(struct engine *engine, struct packet *packet, bool to_psb);

/* The branch at the current IP consumes a TIP that follows the TNT packet: read that. */
enum flow_error packets_deferred_tip(struct engine *engine);

#endif
