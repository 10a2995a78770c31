/* Packets that say something of the flow, but TNT. */
#ifndef DECODE_ENGINE_EVENTS_H
#define DECODE_ENGINE_EVENTS_H

#include "decode/engine/engine_state.h"
#include "pt/packet/packet.h"

/* A packet that says something of the flow, but TNT. */
enum flow_error event_take(struct engine *engine, const struct packet *packet);

#endif
