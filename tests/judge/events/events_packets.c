#include "tests/judge/events/events_packets.h"

#include "decode/engine/errata_flow.h"
#include "decode/engine/packet_rules.h"
#include "decode/engine/packets.h"
#include "decode/engine/walk.h"
#include "tests/judge/events/emit.h"
#include "tests/judge/events/emit_branch.h"
#include "tests/judge/events/emit_error.h"
#include "tests/judge/events/emit_trace.h"

/* Where there is no TIP, the error is at the bits that could not be followed. */
static enum flow_error take_deferred_tip(struct engine *engine)
{
    const uint8_t *packet = engine->packet, *at = engine->at;
    const enum flow_error error = packets_deferred_tip(engine);
    if (error) {
        engine->packet = packet;
        engine->at = at;
    }
    return error;
}

static enum flow_error follow_bits(struct events *events, uint64_t bits, unsigned count)
{
    enum flow_error error = FLOW_OK;
    while (!error && (count = walk_bits(events->engine, bits, count, &error)) > 0 && !error)
        error = take_deferred_tip(events->engine);
    events->return_taken = error == FLOW_ERROR_RETURN && bits >> (count - 1) & 1;
    return error;
}

/* The highest bit is the first. */
static enum flow_error emit_bits(struct events *events, uint64_t bits, unsigned count)
{
    enum flow_error error = FLOW_OK;
    if (events->sink.ticks && count > 0) {
        const uint64_t first = 1ull << --count;
        error = follow_bits(events, (bits & first) != 0, 1);
        bits &= first - 1;
        if (!error)
            emit_tick(events, &events->engine->ip);
    }
    if (!error && count > 0)
        error = follow_bits(events, bits, count);
    if (!error)
        emit_anchor(events);
    return error;
}

static enum flow_error take_bits(struct events *events, const struct packet *packet)
{
    struct engine *engine = events->engine;
    engine->before = PT_PACKET_TNT_8;
    if (!engine->tracing || engine->header)
        return FLOW_ERROR_CONTEXT;
    if (engine->event || engine->entered)
        return FLOW_ERROR_MISMATCH;
    return emit_bits(events, packet->tnt, packet->tnt_bits);
}

static enum flow_error take_event(struct events *events, const struct packet *packet)
{
    if (!errata_skip(events->engine, packet))
        return emit_take(events, packet);
    if (packet->kind == PT_PACKET_FUP)
        emit_lost_fup(events);
    return FLOW_OK;
}

static enum flow_error take_packet(struct events *events, bool to_psb)
{
    struct engine *engine = events->engine;
    struct packet packet;
    enum flow_error error = packets_read(engine, &packet, to_psb);
    if (error || packet.size == 0)
        return error;
    if (packet.kind == PT_PACKET_CBR)
        emit_cbr(events, &packet);
    if (packet_is_between(packet.kind))
        return FLOW_OK;
    if (packet.kind == PT_PACKET_TNT_8 || packet.kind == PT_PACKET_TNT_64)
        return events->lost ? FLOW_OK : take_bits(events, &packet);
    error = take_event(events, &packet);
    engine->before = packet.kind;
    return error;
}

bool events_resync(struct events *events, enum flow_error error, bool to_psb)
{
    struct engine *engine = events->engine;
    const uint8_t *retaken = NULL;
    while (events->sink.resync && !engine->header && !emit_is_of_packets(error) && error != FLOW_ERROR_MEMORY) {
        emit_error(events, error);
        if (engine->packet != retaken) /* else it cannot be followed from anywhere */
            engine->at = engine->packet;
        retaken = engine->packet;
        engine->event = false;
        engine->entered = NULL;
        events->lost = engine->tracing;
        events->emit.anchored = events->emit.entered = false;
        returns_clear(&engine->returns);
        error = FLOW_OK;
        while (!error && events->lost && engine->at < engine->end)
            error = take_packet(events, to_psb);
        if (!error && events->lost && !to_psb && engine->end == engine->input->trace + engine->input->trace_size)
            emit_nowhere(events);
        if (!error)
            return true;
    }
    return false;
}

enum flow_error events_packets(struct events *events, bool to_psb)
{
    struct engine *engine = events->engine;
    enum flow_error error = FLOW_OK;
    while (!error && engine->at < engine->end) {
        error = take_packet(events, to_psb);
        events_deliver(events);
    }
    return engine->executed.no_memory ? FLOW_ERROR_MEMORY : error;
}
