/* Reading the trace, packet by packet. */
#ifndef DECODE_ENGINE_PACKETS_H
#define DECODE_ENGINE_PACKETS_H

#include <stdbool.h>

#include "decode/engine/engine_state.h"

/* The packets from at to end, or until some thousand items are in batches. to_psb: a PSB follows them, so that
 * the last one must end there; else they may have been cut anywhere. But for FLOW_OK, packet is the one that cannot be
 * followed. */
enum flow_error packets_run(struct engine *engine, bool to_psb);

/* With flow_input.resync, an error costs no more than the trace up to the next packet that gives an IP. The error is
 * emitted, and that packet consumed. false: it costs the rest of the stretch. SDM 36.4.2.3 to 36.4.2.7. */
bool packets_resync(struct engine *engine, enum flow_error error, bool to_psb);

#endif
