/* The end of a stretch as an event: where decoding stopped, among instructions and packets. */
#include "decode/engine/emit_error.h"

#include "decode/engine/emit_queue.h"
#include "decode/engine/refused.h"
#include "decode/engine/walk.h"

/* Packets alone say that they are wrong. */
bool emit_is_of_packets(enum flow_error error)
{
    return error == FLOW_ERROR_CONTEXT || error == FLOW_ERROR_OPCODE || error == FLOW_ERROR_PACKET ||
           error == FLOW_ERROR_RUN_IN || error == FLOW_ERROR_NO_IP;
}

/* The walk came to a branch that requires another packet: that branch was executed. */
static void list_stuck(struct engine *engine, enum flow_error error)
{
    const struct block *block = engine->block;
    const bool stuck = error == FLOW_ERROR_MISMATCH || error == FLOW_ERROR_RETURN || error == FLOW_ERROR_LEFT_OVER ||
                       (error == FLOW_ERROR_BOUNDARY && engine->emit.boundary);
    if (stuck && engine->tracing && !engine->event && !engine->entered && block)
        walk_leave(engine, block, block->end_ip);
}

static uint64_t behind(struct engine *engine, uint64_t ip)
{
    enum flow_error ignored;
    const uint64_t stands = engine->ip;
    engine_set_ip(engine, ip);
    const struct block *block = walk_block(engine, &ignored);
    engine_set_ip(engine, stands);
    return block ? block_next_ip(block, ip) : ip;
}

/* The PSBEND of the PSB+ after the stretch. */
static const uint8_t *next_psbend(const struct engine *engine)
{
    const uint8_t *at = engine->end, *end = engine->input->trace + engine->input->trace_size;
    struct packet packet;
    for (int size = 0; at < end; at += size) {
        size = packet_parse(&packet, at, (size_t)(end - at));
        if (size <= 0 || packet.kind == PT_PACKET_PSBEND || packet.kind == PT_PACKET_OVF)
            break;
    }
    return at;
}

void emit_next_psb(struct engine *engine)
{
    struct flow_event event = {.kind = FLOW_EVENT_PSB};
    const uint8_t *packet = engine->packet;
    engine->packet = next_psbend(engine);
    emit_now(engine, event);
    engine->packet = packet;
}

/* The packet that was expected is at packet; others were consumed already. */
static const uint8_t *stopped_at(const struct engine *engine, enum flow_error error)
{
    struct packet packet;
    if (engine->emit.boundary)
        return next_psbend(engine);
    if (emit_is_of_packets(error) || error == FLOW_ERROR_BOUNDARY)
        return engine->packet;
    if (packet_parse(&packet, engine->packet, (size_t)(engine->end - engine->packet)) <= 0)
        return engine->at;
    const bool of_other = !engine->fup_of_event || emit_waits(&engine->emit, EMIT_ANY_OF(WAIT_FOR_BRANCH_FUP));
    const bool waits = packet.kind == PT_PACKET_TIP || (packet.kind == PT_PACKET_FUP && of_other);
    return waits ? engine->packet : engine->at;
}

static const uint8_t *behind_padding(const struct engine *engine, const uint8_t *at)
{
    while (at < engine->end && *at == 0)
        at++;
    return at;
}

static uint64_t stopped_ip(struct engine *engine, enum flow_error error)
{
    const bool of_psb = error == FLOW_ERROR_BOUNDARY && !engine->emit.boundary;
    const uint64_t last = engine->executed.last_listed ? engine->executed.last_listed : engine->emit.last;
    if (of_psb || emit_is_of_packets(error) || error == FLOW_ERROR_RETURN)
        return last ? behind(engine, last) : 0;
    return error == FLOW_ERROR_MISMATCH && last ? last : engine->ip;
}

void emit_end(struct engine *engine, enum flow_error error)
{
    const bool at_end = error == FLOW_ERROR_CUT ||
                        (!error && engine->header && engine->end == engine->input->trace + engine->input->trace_size);
    /* The FUP of a PSB+ that is not whole says nothing: tracing may have been off. */
    if (at_end && (engine->header ? engine->emit.was_tracing : engine->tracing))
        emit_now(engine, (struct flow_event){.kind = FLOW_EVENT_END});
    engine->emit.was_tracing = engine->tracing;
    engine->emit.was_known = !engine->overflown || !engine->errata.skd010;
    engine->emit.synced &= !engine->lost;
    executed_flush(&engine->executed);
    if (engine->executed.last_listed)
        engine->emit.last = engine->executed.last_listed;
    if (!error || error == FLOW_ERROR_CUT)
        return;
    emit_error(engine, error);
    engine->emit = (struct emit){.on = true};
}

/* Does the instruction begin where code is known, and continue where it is not? */
static bool is_half_known(const struct engine *engine, uint64_t ip)
{
    uint8_t byte;
    const struct space *space = engine->spaces.current;
    return space && code_pages_read(engine->input->pages, space->space, engine->code_at, ip, &byte, sizeof(byte)) > 0;
}

void emit_error(struct engine *engine, enum flow_error error)
{
    struct flow_event event = {.kind = FLOW_EVENT_ERROR, .ip_known = true, .error = (int)error};
    list_stuck(engine, error);
    executed_prove(&engine->executed);
    executed_flush(&engine->executed);
    event.value = (uint64_t)(behind_padding(engine, stopped_at(engine, error)) - engine->input->trace);
    event.ip = stopped_ip(engine, error);
    event.flag = engine->header && !engine->emit.synced;
    event.psb_taken = engine->emit.boundary;
    engine->emit.error_ip = error == FLOW_ERROR_MISMATCH && event.ip ? behind(engine, event.ip) : event.ip;
    event.type = error == FLOW_ERROR_RETURN && !engine->return_taken;
    if (error == FLOW_ERROR_NO_CODE && is_half_known(engine, event.ip))
        event.error = FLOW_ERROR_INSTRUCTION;
    if (error == FLOW_ERROR_OPCODE)
        event.error = (int)packets_refused(engine->packet, (uint64_t)(engine->end - engine->packet));
    emit_now(engine, event);
    event.again = engine->input->resync && !event.flag &&
                  (emit_is_of_packets(error) || (error == FLOW_ERROR_BOUNDARY && engine->header));
    if (event.again)
        emit_now(engine, event);
}

void emit_nowhere(struct engine *engine)
{
    const struct flow_event event = {.kind = FLOW_EVENT_ERROR,
                                     .ip = engine->emit.error_ip,
                                     .value = (uint64_t)(engine->end - engine->input->trace),
                                     .error = FLOW_ERROR_CUT,
                                     .again = true};
    emit_now(engine, event);
}
