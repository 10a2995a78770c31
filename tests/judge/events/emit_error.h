/* How a stretch ended, as an event. */
#ifndef JUDGE_EVENTS_EMIT_ERROR_H
#define JUDGE_EVENTS_EMIT_ERROR_H

#include <stdbool.h>

#include "tests/judge/events/events_state.h"

/* The stretch has ended so; before what is not proven is dropped. */
void emit_end(struct events *events, enum flow_error error);

/* With ticks: the walk continues up to the address in the next PSB+. */
void emit_next_psb(struct events *events);

/* Decoding stopped there, and may continue. */
void emit_error(struct events *events, enum flow_error error);

/* It does not continue: up to the trace's end no packet gives an IP. */
void emit_nowhere(struct events *events);

/* The same of an error that no packet of the stretch helps. */
bool emit_is_of_packets(enum flow_error error);

#endif
