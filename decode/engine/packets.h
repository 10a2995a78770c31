/* Reading the trace, packet by packet. */
#ifndef DECODE_ENGINE_PACKETS_H
#define DECODE_ENGINE_PACKETS_H

#include <stdbool.h>

#include "decode/engine/engine_state.h"

/* The packets from at to end, or until some thousand items are in batches. to_psb: a PSB follows them, so that
 * the last one must end there; else they may have been cut anywhere. But for FLOW_OK, packet is the one that cannot be
 * followed. */
enum flow_error packets_run(struct engine *engine, bool to_psb);

/* Read the packet at at. FLOW_OK with size 0: the trace ends within it. */
enum flow_error packets_read(struct engine *engine, struct packet *packet, bool to_psb);

/* The branch at the current IP took a TIP that follows the TNT packet. */
enum flow_error packets_deferred_tip(struct engine *engine);

#endif
