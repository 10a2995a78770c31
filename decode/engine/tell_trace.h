/* CFE, EVD and TRIG, of Event Trace and Trigger Tracing. */
#ifndef DECODE_ENGINE_TELL_TRACE_H
#define DECODE_ENGINE_TELL_TRACE_H

#include "decode/engine/engine_state.h"
#include "decode/engine/flow_event.h"
#include "pt/packet/packet.h"

enum flow_error tell_cfe(struct engine *engine, const struct packet *packet);
enum flow_error tell_evd(struct engine *engine, const struct packet *packet);
enum flow_error tell_trig(struct engine *engine, const struct packet *packet);

/* A FUP has told where it was: of some the instruction there is executed then, and its TIP follows. */
enum flow_error tell_pass(struct engine *engine, const struct flow_event *event);

/* An IP or bits of TNT were taken: TRIG counts from there. */
void tell_anchor(struct engine *engine);

#endif
