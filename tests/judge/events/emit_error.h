/* How a stretch ended, as an event. */
#ifndef JUDGE_EVENTS_EMIT_ERROR_H
#define JUDGE_EVENTS_EMIT_ERROR_H

#include <stdbool.h>

#include "tests/judge/events/events_state.h"

/* The stretch has ended with this error, or FLOW_OK. Call it before unproven items are dropped. */
void emit_end(struct events *events, enum flow_error error);

/* With ticks: the walk continues up to the address in the next PSB+. */
void emit_next_psb(struct events *events);

/* Emit an error event at the current position; decoding may continue after it. */
void emit_error(struct events *events, enum flow_error error);

/* Emit an error event because decoding cannot continue: no packet up to the trace's end gives an IP. */
void emit_nowhere(struct events *events);

/* Can the error be found without the code? */
bool emit_is_of_packets(enum flow_error error);

#endif
