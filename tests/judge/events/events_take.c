/* What a packet means for the walk, and what the walk has come past. */
#include "decode/engine/events.h"
#include "decode/engine/walk.h"
#include "tests/judge/events/events_state.h"

void events_deliver(struct events *events)
{
    struct executed *executed = &events->engine->executed;
    const struct flow_batch *batch;
    executed_flush(executed);
    while ((batch = executed_next(executed))) {
        if (batch->kind != FLOW_BATCH_ITEMS)
            continue;
        for (size_t i = 0; i < batch->count; i++)
            events->last_listed = batch->items[i].instruction;
        events->sink.items(events->sink.context, batch);
    }
}

void events_deliver_all(struct events *events)
{
    executed_prove(&events->engine->executed);
    events_deliver(events);
}

const struct block *events_block(struct events *events, uint64_t ip)
{
    struct engine *engine = events->engine;
    enum flow_error ignored;
    const uint64_t now = engine->ip;
    engine_set_ip(engine, ip);
    const struct block *block = walk_block(engine, &ignored);
    engine_set_ip(engine, now);
    return block;
}

uint64_t events_last_instruction(const struct events *events)
{
    const struct executed *executed = &events->engine->executed;
    for (size_t i = executed->used; i-- > 0;)
        if (executed->tags[i] == FLOW_TAG_INSTRUCTION)
            return executed->items[i].instruction;
    return events->last_listed;
}

/* After an error, a packet with an IP needs no walk to it: the engine's state becomes one in which it makes none. */
static void skip_walk(struct engine *engine, const struct packet *packet)
{
    uint64_t ip;
    switch (packet->kind) {
    case PT_PACKET_TIP:
    case PT_PACKET_TIP_PGD:
    case PT_PACKET_PIP:
        engine->event = true; /* as if an event had occurred in root */
        engine->event_non_root = false;
        break;
    case PT_PACKET_TIP_PGE:
        engine->tracing = false;
        break;
    case PT_PACKET_FUP:
        if (pt_ip_expand(&ip, (enum pt_ip_bytes)packet->ip_bytes, packet->ip, engine->last_ip))
            engine_set_ip(engine, ip);
        break;
    default:
        break;
    }
}

static bool says_where(const struct packet *packet)
{
    return packet->kind == PT_PACKET_TIP || packet->kind == PT_PACKET_TIP_PGE || packet->kind == PT_PACKET_TIP_PGD ||
           packet->kind == PT_PACKET_FUP || packet->kind == PT_PACKET_OVF;
}

static enum flow_error take_lost(struct events *events, const struct packet *packet)
{
    struct engine *engine = events->engine;
    const bool tracing = engine->tracing;
    if (packet->kind == PT_PACKET_PTW && !packet->fup_follows)
        return FLOW_OK;
    skip_walk(engine, packet);
    const enum flow_error error = event_take(engine, packet);
    if (packet->kind == PT_PACKET_PIP || error)
        engine->event = false;
    if (error)
        engine->tracing = tracing;
    else if (says_where(packet))
        events->lost = false;
    return error;
}

enum flow_error events_take(struct events *events, const struct packet *packet)
{
    struct engine *engine = events->engine;
    const bool event = engine->event;
    if (events->lost)
        return take_lost(events, packet);
    /* A VMCS or CFE packet came before, and its instruction has been executed. */
    if (packet->kind != PT_PACKET_PIP || !events->emit.entered || event)
        return event_take(engine, packet);
    skip_walk(engine, packet);
    const enum flow_error error = event_take(engine, packet);
    engine->event = false;
    return error;
}
