/* Events at branches: the packets with an IP, and PIP and VMCS. */
#include "tests/judge/events/emit_branch.h"

#include "decode/engine/events.h"
#include "decode/engine/events_space.h"
#include "tests/judge/events/emit_queue.h"
#include "tests/judge/events/emit_trace.h"

#define FOR_FUP (EMIT_ANY_OF(WAIT_FOR_FUP) | EMIT_ANY_OF(WAIT_FOR_FUP_OR_TIP))
#define FOR_TIP (EMIT_ANY_OF(WAIT_FOR_TIP) | EMIT_ANY_OF(WAIT_FOR_FUP_OR_TIP))

static bool has_ip(const struct packet *packet)
{
    return packet->ip_bytes != PT_IP_SUPPRESSED;
}

/* MODE.Exec with a FUP of its own: execution continues in another mode. */
static void change_mode(struct events *events)
{
    struct engine *engine = events->engine;
    if (!engine->mode_pending)
        return;
    engine->mode = engine->mode_next;
    engine->mode_pending = false;
    engine_set_ip(engine, engine->ip);
}

/* A FUP belongs to what waits for it, or else to an event whose TIP follows. */
enum flow_error emit_fup(struct events *events, const struct packet *packet)
{
    struct engine *engine = events->engine;
    const bool header = engine->header, overflow = events->emit.overflow;
    const bool bound = emit_waits(&events->emit, FOR_FUP);
    if (has_ip(packet))
        events->fup_of_event = engine->fup == FUP_OF_EVENT;
    struct flow_event event;
    enum flow_error error = events_take(events, packet);
    if (!error)
        emit_anchor(events);
    if (error || header)
        return error;
    events->emit.overflow = false;
    if (overflow)
        emit_now_at(events, emit_event(FLOW_EVENT_OVERFLOW, 0), true, engine->last_ip);
    while (!error && emit_take_waiting(&events->emit, bound ? FOR_FUP : EMIT_ANY_OF(WAIT_FOR_BRANCH_FUP), &event)) {
        error = emit_pass(events, &event);
        emit_now_at(events, event, true, engine->last_ip);
    }
    if (bound)
        change_mode(events);
    events->emit.from = engine->last_ip;
    return error;
}

void emit_tick(struct events *events, const uint64_t *ip)
{
    events_deliver_all(events);
    emit_now_at(events, emit_event(FLOW_EVENT_TICK, 0), true, ip ? *ip : events->last_listed);
}

enum flow_error emit_tip(struct events *events, const struct packet *packet)
{
    struct engine *engine = events->engine;
    const bool interrupt = engine->event;
    const enum flow_error error = events_take(events, packet);
    if (error)
        return error;
    struct flow_event event = {.kind = FLOW_EVENT_INTERRUPT, .from = events->emit.from};
    if (interrupt)
        emit_now_at(events, event, true, engine->last_ip);
    else if (events->sink.ticks)
        emit_tick(events, NULL);
    emit_waiting_at(events, FOR_TIP, true, engine->last_ip);
    emit_anchor(events);
    engine->fup = FUP_OF_EVENT;
    events->emit.entered = false;
    return FLOW_OK;
}

enum flow_error emit_pge(struct events *events, const struct packet *packet)
{
    struct engine *engine = events->engine;
    if (events->lost)
        emit_now(events, emit_event(FLOW_EVENT_DISABLED, 0));
    const enum flow_error error = events_take(events, packet);
    if (error)
        return error;
    struct flow_event event = {.kind = FLOW_EVENT_ENABLED};
    event.flag = events->emit.resume_ip != 0 && events->emit.resume_ip == engine->ip;
    emit_now_at(events, event, true, engine->ip);
    emit_waiting_at(events, FOR_TIP, true, engine->ip);
    emit_anchor(events);
    return FLOW_OK;
}

/* Where tracing is likely to resume after the branch that left what is traced; known: a packet gave its target. */
static uint64_t resume_ip(struct events *events, bool known)
{
    const struct block *block = events_block(events, events_last_instruction(events));
    if (!block)
        return 0;
    if (block->end == INSTRUCTION_CALL_INDIRECT || block->end == INSTRUCTION_FAR_CALL)
        return block->next[BLOCK_ON];
    const bool direct = block->end == INSTRUCTION_JMP_DIRECT || block->end == INSTRUCTION_CALL_DIRECT;
    return known && direct ? events->engine->last_ip : 0;
}

enum flow_error emit_pgd(struct events *events, const struct packet *packet)
{
    struct engine *engine = events->engine;
    const bool by_event = engine->event, by_branch = !by_event && !engine->entered && !events->lost;
    if (!by_event)
        emit_waiting_at(events, FOR_TIP, false, 0);
    const enum flow_error error = events_take(events, packet);
    if (error)
        return error;
    struct flow_event event = {.kind = by_event ? FLOW_EVENT_LEFT : FLOW_EVENT_DISABLED, .from = events->emit.from};
    events->emit.resume_ip = by_event ? events->emit.from : by_branch ? resume_ip(events, has_ip(packet)) : 0;
    emit_now_at(events, event, has_ip(packet), engine->last_ip);
    emit_waiting_at(events, FOR_TIP, false, 0);
    events->emit.anchored = false;
    engine->fup = FUP_OF_EVENT;
    events->emit.entered = false;
    return FLOW_OK;
}

enum flow_error emit_pip(struct events *events, const struct packet *packet)
{
    struct engine *engine = events->engine;
    const bool waits = engine->event, header = engine->header;
    const enum flow_error error = events_take(events, packet);
    if (error || header)
        return error;
    struct flow_event event = emit_event(FLOW_EVENT_PAGING, packet->cr3);
    event.flag = packet->non_root;
    if (waits)
        emit_later(events, WAIT_FOR_TIP, event);
    else
        emit_now(events, event);
    return FLOW_OK;
}

enum flow_error emit_vmcs(struct events *events, const struct packet *packet)
{
    struct engine *engine = events->engine;
    const struct flow_event event = emit_event(FLOW_EVENT_VMCS, packet->vmcs);
    if (engine->header)
        return FLOW_OK;
    if (engine->tracing && !events->lost && !engine->event && !engine->entered) {
        const enum flow_error error = event_enter(engine);
        if (error)
            return error;
    }
    events->emit.entered = engine->tracing;
    if (engine->event)
        emit_vmcs_later(events, event);
    else
        emit_now(events, event);
    return FLOW_OK;
}
