/* Events, where they are asked for. */
#ifndef DECODE_ENGINE_TELL_H
#define DECODE_ENGINE_TELL_H

#include "decode/engine/engine_state.h"
#include "pt/packet/packet.h"

/* event_take, and what the packet means for whoever listens. */
enum flow_error tell_take(struct engine *engine, const struct packet *packet);

/* An OVF's FUP is none. */
void tell_lost_fup(struct engine *engine);

/* A CBR packet. */
void tell_cbr(struct engine *engine, const struct packet *packet);

#endif
