/* CFE, EVD and TRIG, of Event Trace and Trigger Tracing. */
#ifndef DECODE_ENGINE_EMIT_TRACE_H
#define DECODE_ENGINE_EMIT_TRACE_H

#include "decode/engine/engine_state.h"
#include "decode/engine/flow_event.h"
#include "pt/packet/packet.h"

enum flow_error emit_cfe(struct engine *engine, const struct packet *packet);
enum flow_error emit_evd(struct engine *engine, const struct packet *packet);
enum flow_error emit_trig(struct engine *engine, const struct packet *packet);

/* A FUP gave the event's IP: for some types the instruction there is executed then, and its TIP follows. */
enum flow_error emit_pass(struct engine *engine, const struct flow_event *event);

/* An IP or bits of TNT were taken: TRIG counts from there. */
void emit_anchor(struct engine *engine);

#endif
