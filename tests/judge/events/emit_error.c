/* The end of a stretch as an event: where decoding stopped, among instructions and packets. */
#include "tests/judge/events/emit_error.h"

#include "decode/engine/walk.h"
#include "tests/judge/events/emit_queue.h"
#include "tests/judge/events/refused.h"

bool emit_is_of_packets(enum flow_error error)
{
    return error == FLOW_ERROR_CONTEXT || error == FLOW_ERROR_OPCODE || error == FLOW_ERROR_PACKET ||
           error == FLOW_ERROR_RUN_IN || error == FLOW_ERROR_NO_IP;
}

/* The walk came to a branch that requires another packet: that branch was executed. */
static void list_stuck(struct events *events, enum flow_error error)
{
    struct engine *engine = events->engine;
    const struct block *block = engine->block;
    const bool stuck = error == FLOW_ERROR_MISMATCH || error == FLOW_ERROR_RETURN || error == FLOW_ERROR_LEFT_OVER ||
                       (error == FLOW_ERROR_BOUNDARY && events->emit.boundary);
    if (stuck && engine->tracing && !engine->event && !engine->entered && block)
        walk_leave(engine, block, block->end_ip);
}

static uint64_t ip_after(struct events *events, uint64_t ip)
{
    const struct block *block = events_block(events, ip);
    return block ? block_next_ip(block, ip) : ip;
}

/* The PSBEND of the PSB+ after the stretch. */
static const uint8_t *next_psbend(const struct events *events)
{
    const struct engine *engine = events->engine;
    const uint8_t *at = engine->end, *end = engine->input->trace + engine->input->trace_size;
    struct packet packet;
    for (int size = 0; at < end; at += size) {
        size = packet_parse(&packet, at, (size_t)(end - at));
        if (size <= 0 || packet.kind == PT_PACKET_PSBEND || packet.kind == PT_PACKET_OVF)
            break;
    }
    return at;
}

void emit_next_psb(struct events *events)
{
    struct engine *engine = events->engine;
    struct flow_event event = {.kind = FLOW_EVENT_PSB};
    const uint8_t *packet = engine->packet;
    engine->packet = next_psbend(events);
    emit_now(events, event);
    engine->packet = packet;
}

/* Where the trace could not be decoded: at engine.packet, or after it, if it was consumed already. */
static const uint8_t *stopped_at(const struct events *events, enum flow_error error)
{
    const struct engine *engine = events->engine;
    struct packet packet;
    if (events->emit.boundary)
        return next_psbend(events);
    if (emit_is_of_packets(error) || error == FLOW_ERROR_BOUNDARY)
        return engine->packet;
    if (packet_parse(&packet, engine->packet, (size_t)(engine->end - engine->packet)) <= 0)
        return engine->at;
    const bool of_other = !events->fup_of_event || emit_waits(&events->emit, EMIT_ANY_OF(WAIT_FOR_BRANCH_FUP));
    const bool waits = packet.kind == PT_PACKET_TIP || (packet.kind == PT_PACKET_FUP && of_other);
    return waits ? engine->packet : engine->at;
}

static const uint8_t *skip_padding(const struct events *events, const uint8_t *at)
{
    const struct engine *engine = events->engine;
    while (at < engine->end && *at == 0)
        at++;
    return at;
}

static uint64_t stopped_ip(struct events *events, enum flow_error error)
{
    struct engine *engine = events->engine;
    const bool of_psb = error == FLOW_ERROR_BOUNDARY && !events->emit.boundary;
    const uint64_t last = events->last_listed ? events->last_listed : events->emit.last;
    if (of_psb || emit_is_of_packets(error) || error == FLOW_ERROR_RETURN)
        return last ? ip_after(events, last) : 0;
    return error == FLOW_ERROR_MISMATCH && last ? last : engine->ip;
}

void emit_end(struct events *events, enum flow_error error)
{
    struct engine *engine = events->engine;
    const bool at_end = error == FLOW_ERROR_CUT ||
                        (!error && engine->header && engine->end == engine->input->trace + engine->input->trace_size);
    /* The FUP of an incomplete PSB+ does not show that tracing was on. */
    if (at_end && (engine->header ? events->emit.was_tracing : engine->tracing))
        emit_now(events, (struct flow_event){.kind = FLOW_EVENT_END});
    events->emit.was_tracing = engine->tracing;
    events->emit.was_known = !engine->overflown || !engine->errata.skd010;
    events->emit.synced &= !events->lost;
    events_deliver(events);
    if (events->last_listed)
        events->emit.last = events->last_listed;
    if (!error || error == FLOW_ERROR_CUT)
        return;
    emit_error(events, error);
    events->emit = (struct emit){0};
}

/* Does the instruction begin where code is known, and continue where it is not? */
static bool is_half_known(const struct events *events, uint64_t ip)
{
    const struct engine *engine = events->engine;
    uint8_t byte;
    const struct space *space = engine->spaces.current;
    return space && code_pages_read(engine->input->pages, space->space, engine->code_at, ip, &byte, sizeof(byte)) > 0;
}

void emit_error(struct events *events, enum flow_error error)
{
    struct engine *engine = events->engine;
    struct flow_event event = {.kind = FLOW_EVENT_ERROR, .ip_known = true, .error = (int)error};
    list_stuck(events, error);
    events_deliver_all(events);
    event.value = (uint64_t)(skip_padding(events, stopped_at(events, error)) - engine->input->trace);
    event.ip = stopped_ip(events, error);
    event.flag = engine->header && !events->emit.synced;
    event.psb_taken = events->emit.boundary;
    events->emit.error_ip = error == FLOW_ERROR_MISMATCH && event.ip ? ip_after(events, event.ip) : event.ip;
    event.type = error == FLOW_ERROR_RETURN && !events->return_taken;
    if (error == FLOW_ERROR_NO_CODE && is_half_known(events, event.ip))
        event.error = FLOW_ERROR_INSTRUCTION;
    if (error == FLOW_ERROR_OPCODE)
        event.error = (int)packets_refused(engine->packet, (uint64_t)(engine->end - engine->packet));
    emit_now(events, event);
    event.again = events->sink.resync && !event.flag &&
                  (emit_is_of_packets(error) || (error == FLOW_ERROR_BOUNDARY && engine->header));
    if (event.again)
        emit_now(events, event);
}

void emit_nowhere(struct events *events)
{
    struct engine *engine = events->engine;
    const struct flow_event event = {.kind = FLOW_EVENT_ERROR,
                                     .ip = events->emit.error_ip,
                                     .value = (uint64_t)(engine->end - engine->input->trace),
                                     .error = FLOW_ERROR_CUT,
                                     .again = true};
    emit_now(events, event);
}
