/* Events at branches: the packets with an IP, and PIP and VMCS. */
#include "decode/engine/tell_branch.h"

#include "decode/engine/events.h"
#include "decode/engine/events_space.h"
#include "decode/engine/tell_queue.h"
#include "decode/engine/tell_trace.h"

#define FOR_FUP (TELL_ANY_OF(TELL_FOR_FUP) | TELL_ANY_OF(TELL_FOR_FUP_OR_TIP))
#define FOR_TIP (TELL_ANY_OF(TELL_FOR_TIP) | TELL_ANY_OF(TELL_FOR_FUP_OR_TIP))

static bool told(const struct packet *packet)
{
    return packet->ip_bytes != PT_IP_SUPPRESSED;
}

/* MODE.Exec with a FUP of its own tells of code that goes on in another mode. */
static void change_mode(struct engine *engine)
{
    if (!engine->mode_told)
        return;
    engine->mode = engine->mode_next;
    engine->mode_told = false;
    engine_set_ip(engine, engine->ip);
}

/* A FUP belongs to what waits for it, or else to an event whose TIP follows. */
enum flow_error tell_fup(struct engine *engine, const struct packet *packet)
{
    const bool header = engine->header, overflow = engine->tell.overflow;
    const bool bound = tell_waits(&engine->tell, FOR_FUP);
    struct flow_event event;
    enum flow_error error = event_take(engine, packet);
    if (!error)
        tell_anchor(engine);
    if (error || header)
        return error;
    engine->tell.overflow = false;
    if (overflow)
        tell_now_at(engine, tell_event(FLOW_EVENT_OVERFLOW, 0), true, engine->last_ip);
    while (!error && tell_take_waiting(&engine->tell, bound ? FOR_FUP : TELL_ANY_OF(TELL_FOR_BRANCH_FUP), &event)) {
        error = tell_pass(engine, &event);
        tell_now_at(engine, event, true, engine->last_ip);
    }
    if (bound)
        change_mode(engine);
    engine->tell.from = engine->last_ip;
    return error;
}

void tell_tick(struct engine *engine, const uint64_t *ip)
{
    struct executed *executed = &engine->executed;
    executed_prove(executed);
    executed_flush(executed);
    tell_now_at(engine, tell_event(FLOW_EVENT_TICK, 0), true, ip ? *ip : executed->last_listed);
}

enum flow_error tell_tip(struct engine *engine, const struct packet *packet)
{
    const bool interrupt = engine->event;
    const enum flow_error error = event_take(engine, packet);
    if (error)
        return error;
    struct flow_event event = {.kind = FLOW_EVENT_INTERRUPT, .from = engine->tell.from};
    if (interrupt)
        tell_now_at(engine, event, true, engine->last_ip);
    else if (engine->input->ticks)
        tell_tick(engine, NULL);
    tell_waiting_at(engine, FOR_TIP, true, engine->last_ip);
    tell_anchor(engine);
    engine->fup = FUP_OF_EVENT;
    engine->tell.entered = false;
    return FLOW_OK;
}

enum flow_error tell_pge(struct engine *engine, const struct packet *packet)
{
    if (engine->lost)
        tell_now(engine, tell_event(FLOW_EVENT_DISABLED, 0));
    const enum flow_error error = event_take(engine, packet);
    if (error)
        return error;
    struct flow_event event = {.kind = FLOW_EVENT_ENABLED};
    event.flag = engine->tell.resume_ip != 0 && engine->tell.resume_ip == engine->ip;
    tell_now_at(engine, event, true, engine->ip);
    tell_waiting_at(engine, FOR_TIP, true, engine->ip);
    tell_anchor(engine);
    return FLOW_OK;
}

/* Where tracing is likely to go on. */
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

enum flow_error tell_pgd(struct engine *engine, const struct packet *packet)
{
    const bool by_event = engine->event;
    if (!by_event)
        tell_waiting_at(engine, FOR_TIP, false, 0);
    engine->left = NULL;
    const enum flow_error error = event_take(engine, packet);
    if (error)
        return error;
    struct flow_event event = {.kind = by_event ? FLOW_EVENT_LEFT : FLOW_EVENT_DISABLED, .from = engine->tell.from};
    tell_now_at(engine, event, told(packet), engine->last_ip);
    tell_waiting_at(engine, FOR_TIP, false, 0);
    engine->tell.anchored = false;
    engine->fup = FUP_OF_EVENT;
    engine->tell.resume_ip = by_event ? engine->tell.from : resume_ip(engine, told(packet));
    engine->tell.entered = false;
    return FLOW_OK;
}

enum flow_error tell_pip(struct engine *engine, const struct packet *packet)
{
    const bool waits = engine->event, header = engine->header;
    const enum flow_error error = event_take(engine, packet);
    if (error || header)
        return error;
    struct flow_event event = tell_event(FLOW_EVENT_PAGING, packet->cr3);
    event.flag = packet->non_root;
    if (waits)
        tell_later(engine, TELL_FOR_TIP, event);
    else
        tell_now(engine, event);
    return FLOW_OK;
}

enum flow_error tell_vmcs(struct engine *engine, const struct packet *packet)
{
    const struct flow_event event = tell_event(FLOW_EVENT_VMCS, packet->vmcs);
    if (engine->header)
        return FLOW_OK;
    if (engine->tracing && !engine->lost && !engine->event && !engine->entered) {
        const enum flow_error error = event_enter(engine);
        if (error)
            return error;
    }
    engine->tell.entered = engine->tracing;
    if (engine->event)
        tell_vmcs_later(engine, event);
    else
        tell_now(engine, event);
    return FLOW_OK;
}
