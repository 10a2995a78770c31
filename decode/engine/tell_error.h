/* How a stretch ended, as an event. */
#ifndef DECODE_ENGINE_TELL_ERROR_H
#define DECODE_ENGINE_TELL_ERROR_H

#include <stdbool.h>

#include "decode/engine/engine_state.h"

/* The stretch has ended so; before what is not proven is dropped. */
void tell_end(struct engine *engine, enum flow_error error);

/* With flow_input.ticks: the next PSB+ is known, which tells up to where to walk. */
void tell_next_psb(struct engine *engine);

/* Decoding stopped there, and may go on. */
void tell_error(struct engine *engine, enum flow_error error);

/* And it does not: up to the trace's end no packet says where execution stands. */
void tell_nowhere(struct engine *engine);

/* The same of an error that no packet of the stretch helps. */
bool tell_is_of_packets(enum flow_error error);

#endif
