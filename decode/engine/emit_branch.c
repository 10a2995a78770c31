/* Events at branches: the packets with an IP, and PIP and VMCS. */
#include "decode/engine/emit_branch.h"

#include "decode/engine/emit_queue.h"
#include "decode/engine/emit_trace.h"
#include "decode/engine/events.h"
#include "decode/engine/events_space.h"

#define FOR_FUP (EMIT_ANY_OF(WAIT_FOR_FUP) | EMIT_ANY_OF(WAIT_FOR_FUP_OR_TIP))
#define FOR_TIP (EMIT_ANY_OF(WAIT_FOR_TIP) | EMIT_ANY_OF(WAIT_FOR_FUP_OR_TIP))

static bool told(const struct packet *packet)
{
    return packet->ip_bytes != PT_IP_SUPPRESSED;
}

/* MODE.Exec with a FUP of its own: execution continues in another mode. */
static void change_mode(struct engine *engine)
{
    if (!engine->mode_pending)
        return;
    engine->mode = engine->mode_next;
    engine->mode_pending = false;
    engine_set_ip(engine, engine->ip);
}

/* A FUP belongs to what waits for it, or else to an event whose TIP follows. */
enum flow_error emit_fup(struct engine *engine, const struct packet *packet)
{
    const bool header = engine->header, overflow = engine->emit.overflow;
    const bool bound = emit_waits(&engine->emit, FOR_FUP);
    struct flow_event event;
    enum flow_error error = event_take(engine, packet);
    if (!error)
        emit_anchor(engine);
    if (error || header)
        return error;
    engine->emit.overflow = false;
    if (overflow)
        emit_now_at(engine, emit_event(FLOW_EVENT_OVERFLOW, 0), true, engine->last_ip);
    while (!error && emit_take_waiting(&engine->emit, bound ? FOR_FUP : EMIT_ANY_OF(WAIT_FOR_BRANCH_FUP), &event)) {
        error = emit_pass(engine, &event);
        emit_now_at(engine, event, true, engine->last_ip);
    }
    if (bound)
        change_mode(engine);
    engine->emit.from = engine->last_ip;
    return error;
}

void emit_tick(struct engine *engine, const uint64_t *ip)
{
    struct executed *executed = &engine->executed;
    executed_prove(executed);
    executed_flush(executed);
    emit_now_at(engine, emit_event(FLOW_EVENT_TICK, 0), true, ip ? *ip : executed->last_listed);
}

enum flow_error emit_tip(struct engine *engine, const struct packet *packet)
{
    const bool interrupt = engine->event;
    const enum flow_error error = event_take(engine, packet);
    if (error)
        return error;
    struct flow_event event = {.kind = FLOW_EVENT_INTERRUPT, .from = engine->emit.from};
    if (interrupt)
        emit_now_at(engine, event, true, engine->last_ip);
    else if (engine->input->ticks)
        emit_tick(engine, NULL);
    emit_waiting_at(engine, FOR_TIP, true, engine->last_ip);
    emit_anchor(engine);
    engine->fup = FUP_OF_EVENT;
    engine->emit.entered = false;
    return FLOW_OK;
}

enum flow_error emit_pge(struct engine *engine, const struct packet *packet)
{
    if (engine->lost)
        emit_now(engine, emit_event(FLOW_EVENT_DISABLED, 0));
    const enum flow_error error = event_take(engine, packet);
    if (error)
        return error;
    struct flow_event event = {.kind = FLOW_EVENT_ENABLED};
    event.flag = engine->emit.resume_ip != 0 && engine->emit.resume_ip == engine->ip;
    emit_now_at(engine, event, true, engine->ip);
    emit_waiting_at(engine, FOR_TIP, true, engine->ip);
    emit_anchor(engine);
    return FLOW_OK;
}

/* Where tracing is likely to resume. */
static uint64_t resume_ip(const struct engine *engine, bool known)
{
    const struct block *block = engine->left;
    if (!block)
        return 0;
    if (block->end == INSTRUCTION_CALL_INDIRECT || block->end == INSTRUCTION_FAR_CALL)
        return block->next[BLOCK_ON];
    return known && (block->end == INSTRUCTION_JMP_DIRECT || block->end == INSTRUCTION_CALL_DIRECT) ? engine->last_ip
                                                                                                    : 0;
}

enum flow_error emit_pgd(struct engine *engine, const struct packet *packet)
{
    const bool by_event = engine->event;
    if (!by_event)
        emit_waiting_at(engine, FOR_TIP, false, 0);
    engine->left = NULL;
    const enum flow_error error = event_take(engine, packet);
    if (error)
        return error;
    struct flow_event event = {.kind = by_event ? FLOW_EVENT_LEFT : FLOW_EVENT_DISABLED, .from = engine->emit.from};
    emit_now_at(engine, event, told(packet), engine->last_ip);
    emit_waiting_at(engine, FOR_TIP, false, 0);
    engine->emit.anchored = false;
    engine->fup = FUP_OF_EVENT;
    engine->emit.resume_ip = by_event ? engine->emit.from : resume_ip(engine, told(packet));
    engine->emit.entered = false;
    return FLOW_OK;
}

enum flow_error emit_pip(struct engine *engine, const struct packet *packet)
{
    const bool waits = engine->event, header = engine->header;
    const enum flow_error error = event_take(engine, packet);
    if (error || header)
        return error;
    struct flow_event event = emit_event(FLOW_EVENT_PAGING, packet->cr3);
    event.flag = packet->non_root;
    if (waits)
        emit_later(engine, WAIT_FOR_TIP, event);
    else
        emit_now(engine, event);
    return FLOW_OK;
}

enum flow_error emit_vmcs(struct engine *engine, const struct packet *packet)
{
    const struct flow_event event = emit_event(FLOW_EVENT_VMCS, packet->vmcs);
    if (engine->header)
        return FLOW_OK;
    if (engine->tracing && !engine->lost && !engine->event && !engine->entered) {
        const enum flow_error error = event_enter(engine);
        if (error)
            return error;
    }
    engine->emit.entered = engine->tracing;
    if (engine->event)
        emit_vmcs_later(engine, event);
    else
        emit_now(engine, event);
    return FLOW_OK;
}
