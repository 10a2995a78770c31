/*
 * The product's engine with events, which ptxed prints and the product does not: what packets report in addition to
 * instructions. This is a second driver of decode/engine/, packet by packet, with nothing that makes it fast.
 */
#ifndef JUDGE_EVENTS_EVENTS_H
#define JUDGE_EVENTS_EVENTS_H

#include <stdbool.h>

#include "decode/engine/flow.h"
#include "tests/judge/events/event.h"

/* Receives executed instructions, and the events between them, in the order of execution. */
struct events_sink {
    void (*items)(void *context, const struct flow_batch *batch); /* instructions */
    void (*event)(void *context, const struct flow_event *event);
    void *context;
    bool resync; /* continue after an error within its stretch, as far as possible */
    bool ticks;  /* an event also at each branch whose packet has a time */
};

struct events;

/* NULL: error says why. */
struct events *events_open(const struct flow_input *input, const struct events_sink *sink, struct error *error);
void events_close(struct events *events);

/* Decode a stretch. Stretches must come in the order of the trace. Returns the error that stopped it, or FLOW_OK. */
enum flow_error events_run(struct events *events, const struct flow_stretch *stretch);

#endif
