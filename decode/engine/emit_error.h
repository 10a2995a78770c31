/* How a stretch ended, as an event. */
#ifndef DECODE_ENGINE_EMIT_ERROR_H
#define DECODE_ENGINE_EMIT_ERROR_H

#include <stdbool.h>

#include "decode/engine/engine_state.h"

/* The stretch has ended so; before what is not proven is dropped. */
void emit_end(struct engine *engine, enum flow_error error);

/* With flow_input.ticks: the walk continues up to the address in the next PSB+. */
void emit_next_psb(struct engine *engine);

/* Decoding stopped there, and may continue. */
void emit_error(struct engine *engine, enum flow_error error);

/* It does not continue: up to the trace's end no packet gives an IP. */
void emit_nowhere(struct engine *engine);

/* The same of an error that no packet of the stretch helps. */
bool emit_is_of_packets(enum flow_error error);

#endif
