/* One stretch of trace at a time. */
#include "tests/judge/events/events.h"

#include <stdlib.h>

#include "decode/engine/walk.h"
#include "tests/judge/events/emit_error.h"
#include "tests/judge/events/events_packets.h"

void events_close(struct events *events)
{
    if (events->engine)
        flow_engine_own.close(events->engine);
    free(events);
}

struct events *events_open(const struct flow_input *input, const struct events_sink *sink, struct error *error)
{
    struct events *events = calloc(1, sizeof(*events));
    if (!events) {
        error_set(error, ERROR_MEMORY, 0, "an engine with events");
        return NULL;
    }
    events->sink = *sink;
    events->engine = flow_engine_own.open(input, FLOW_NEED_INSTRUCTIONS, error);
    if (events->engine)
        return events;
    events_close(events);
    return NULL;
}

static enum flow_error end_at_boundary(struct events *events, uint64_t boundary)
{
    events->emit.boundary = true;
    if (events->sink.ticks)
        emit_next_psb(events);
    const enum flow_error error = walk_to(events->engine, WALK_TO_ADDRESS, boundary);
    if (!error)
        executed_prove(&events->engine->executed);
    return error == FLOW_ERROR_MISMATCH ? FLOW_ERROR_BOUNDARY : error;
}

/* As of decode/engine/engine.c. But where the next PSB+ says that tracing is off, the error is that PSB+'s: emit.c. */
static enum flow_error end_of(struct events *events, const struct flow_stretch *stretch, enum flow_error error)
{
    const struct engine *engine = events->engine;
    if (!error && events->lost)
        return FLOW_OK;
    if (!error && (engine->event || engine->entered))
        error = FLOW_ERROR_LEFT_OVER;
    if (error == FLOW_ERROR_LEFT_OVER && stretch->ends < FLOW_ENDS_AT_PSB)
        return stretch->ends == FLOW_ENDS_WITH_TRACE ? FLOW_ERROR_CUT : FLOW_OK;
    if (error || !engine->tracing)
        return error;
    if (stretch->ends == FLOW_ENDS_AT_PSB_IP)
        return end_at_boundary(events, stretch->boundary_ip);
    return stretch->ends == FLOW_ENDS_WITH_TRACE ? FLOW_ERROR_CUT : FLOW_OK;
}

enum flow_error events_run(struct events *events, const struct flow_stretch *stretch)
{
    struct engine *engine = events->engine;
    const bool to_psb = stretch->ends >= FLOW_ENDS_AT_PSB;
    enum flow_error error;
    if (engine->end != engine->input->trace + stretch->begin)
        events->emit = (struct emit){0};
    flow_engine_own.begin(engine, stretch);
    if (!engine->stretch)
        return FLOW_ERROR_MEMORY;
    events->emit.boundary = events->lost = false;
    events->last_listed = 0;
    while ((error = events_packets(events, to_psb)) && events_resync(events, error, to_psb))
        continue;
    error = end_of(events, stretch, error);
    emit_end(events, error);
    if (stretch->ends == FLOW_ENDS_AT_GAP) /* what follows the gap does not continue what precedes it */
        events->emit = (struct emit){0};
    executed_drop(&engine->executed);
    events_deliver(events);
    return error;
}
