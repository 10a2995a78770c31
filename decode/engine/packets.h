/* Reading the trace, packet by packet. */
#ifndef DECODE_ENGINE_PACKETS_H
#define DECODE_ENGINE_PACKETS_H

#include <stdbool.h>

#include "decode/engine/engine_state.h"

/* The packets from at to end, or until some thousand branches have been handed on. to_psb: a PSB follows them, so that
 * the last one must end there; else they may have been cut anywhere. But for FLOW_OK, packet is the one that cannot be
 * followed. */
enum flow_error packets_run(struct engine *engine, bool to_psb);

/* Where the input wants it: an error costs no more than what is up to the next packet that tells where execution
 * stands. It is told, and that packet taken. false: it costs the rest of the stretch. SDM 36.4.2.3 to 36.4.2.7. */
bool packets_resync(struct engine *engine, enum flow_error error, bool to_psb);

#endif
