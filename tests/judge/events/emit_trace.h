/* CFE, EVD and TRIG, of Event Trace and Trigger Tracing. */
#ifndef JUDGE_EVENTS_EMIT_TRACE_H
#define JUDGE_EVENTS_EMIT_TRACE_H

#include "pt/packet/packet.h"
#include "tests/judge/events/event.h"
#include "tests/judge/events/events_state.h"

enum flow_error emit_cfe(struct events *events, const struct packet *packet);
enum flow_error emit_evd(struct events *events, const struct packet *packet);
enum flow_error emit_trig(struct events *events, const struct packet *packet);

/* A FUP gave the event's IP: for some types the instruction there is executed then, and its TIP follows. */
enum flow_error emit_pass(struct events *events, const struct flow_event *event);

/* An IP or bits of TNT were taken: TRIG counts from there. */
void emit_anchor(struct events *events);

#endif
