/* The events of a packet. */
#ifndef JUDGE_EVENTS_EMIT_H
#define JUDGE_EVENTS_EMIT_H

#include "pt/packet/packet.h"
#include "tests/judge/events/events_state.h"

/* events_take, and the events of the packet. */
enum flow_error emit_take(struct events *events, const struct packet *packet);

/* The FUP after an OVF was skipped, as an erratum requires. */
void emit_lost_fup(struct events *events);

/* A CBR packet. */
void emit_cbr(struct events *events, const struct packet *packet);

#endif
