/* Events, where they are needed. */
#ifndef DECODE_ENGINE_EMIT_H
#define DECODE_ENGINE_EMIT_H

#include "decode/engine/engine_state.h"
#include "pt/packet/packet.h"

/* event_take, and the events of the packet. */
enum flow_error emit_take(struct engine *engine, const struct packet *packet);

/* An OVF's FUP is none. */
void emit_lost_fup(struct engine *engine);

/* A CBR packet. */
void emit_cbr(struct engine *engine, const struct packet *packet);

#endif
