/* Packets other than TNT that affect the flow. */
#ifndef DECODE_ENGINE_EVENTS_H
#define DECODE_ENGINE_EVENTS_H

#include "decode/engine/engine_state.h"
#include "pt/packet/packet.h"

/* Take any packet except TNT; packets that do not affect the flow are ignored. */
enum flow_error event_take(struct engine *engine, const struct packet *packet);

#endif
