/* Event Trace and Trigger Tracing: SDM "Event Trace", "Trigger Tracing". A CFE with the IP bit has a FUP of its own;
 * one without precedes the FUP of a branch, or has none. */
#include "tests/judge/events/emit_trace.h"

#include "decode/engine/events_space.h"
#include "decode/engine/walk.h"
#include "tests/judge/events/emit_queue.h"

/* Types of CFE. */
enum { CFE_INTR = 1, CFE_IRET, CFE_SMI, CFE_RSM, CFE_SIPI, CFE_INIT, CFE_VM_ENTRY, CFE_VM_EXIT, CFE_VM_EXIT_INTR };
enum { CFE_SHUTDOWN = 10, CFE_UINTR = 12, CFE_UIRET, CFE_SWINTR, CFE_SYSCALL };
enum { EVD_CR2, EVD_VMXQ, EVD_VMXR };

#define TYPES(a) (1u << (a))
#define BY_INSTRUCTION (TYPES(CFE_IRET) | TYPES(CFE_VM_ENTRY) | TYPES(CFE_UIRET) | TYPES(CFE_SYSCALL))
#define WITH_BRANCH_FUP                                                                                                \
    (TYPES(CFE_INTR) | TYPES(CFE_SMI) | TYPES(CFE_RSM) | TYPES(CFE_SIPI) | TYPES(CFE_INIT) | TYPES(CFE_VM_EXIT) |      \
     TYPES(CFE_VM_EXIT_INTR) | TYPES(CFE_UINTR) | TYPES(CFE_SWINTR))
#define KNOWN (BY_INSTRUCTION | WITH_BRANCH_FUP | TYPES(CFE_SHUTDOWN))

/* The type that an EVD belongs to. */
static bool fits(uint8_t type, uint8_t data_known)
{
    if (data_known & 1u << EVD_CR2)
        return type == CFE_INTR && data_known == 1u << EVD_CR2;
    return data_known == 0 || type == CFE_VM_EXIT || type == CFE_VM_EXIT_INTR;
}

enum flow_error emit_evd(struct events *events, const struct packet *packet)
{
    struct flow_event event = {.kind = FLOW_EVENT_CFE};
    if (packet->event_type >= FLOW_EVENT_NR_DATA)
        return FLOW_OK;
    emit_take_waiting(&events->emit, EMIT_ANY_OF(WAIT_FOR_CFE), &event);
    event.data_known |= (uint8_t)(1u << packet->event_type);
    if (event.data_known & 1u << EVD_CR2 && event.data_known != 1u << EVD_CR2)
        return FLOW_ERROR_CONTEXT;
    event.data[packet->event_type] = packet->payload;
    emit_later(events, WAIT_FOR_CFE, event);
    return FLOW_OK;
}

/* Without a FUP of its own: it is at the instruction that generates it. */
static enum flow_error emit_by_instruction(struct events *events, struct flow_event event)
{
    struct engine *engine = events->engine;
    if (engine->tracing && !events->lost && TYPES(event.type) & BY_INSTRUCTION) {
        const enum flow_error error = engine->event || engine->entered ? FLOW_ERROR_CONTEXT : event_enter(engine);
        if (error)
            return error;
        events->emit.entered = true;
    }
    emit_now(events, event);
    return FLOW_OK;
}

enum flow_error emit_cfe(struct events *events, const struct packet *packet)
{
    struct engine *engine = events->engine;
    struct flow_event event = {.kind = FLOW_EVENT_CFE};
    emit_take_waiting(&events->emit, EMIT_ANY_OF(WAIT_FOR_CFE), &event);
    event.type = packet->event_type;
    event.value = packet->payload;
    if (!fits(event.type, event.data_known))
        return FLOW_ERROR_CONTEXT;
    if (packet->fup_follows && (event.type == CFE_RSM || event.type == CFE_SIPI))
        return FLOW_ERROR_PACKET;
    if (packet->fup_follows)
        engine->fup = FUP_UNBOUND;
    if (packet->fup_follows)
        emit_later(events, WAIT_FOR_FUP, event);
    else if (engine->tracing && TYPES(event.type) & WITH_BRANCH_FUP)
        emit_later(events, WAIT_FOR_BRANCH_FUP, event);
    else if (TYPES(event.type) & KNOWN)
        return emit_by_instruction(events, event);
    return FLOW_OK;
}

enum flow_error emit_pass(struct events *events, const struct flow_event *event)
{
    struct engine *engine = events->engine;
    if (event->kind != FLOW_EVENT_CFE || !engine->tracing || engine->event ||
        !(TYPES(event->type) & (BY_INSTRUCTION | TYPES(CFE_SWINTR))))
        return FLOW_OK;
    events->emit.entered = true;
    return event_enter(engine);
}

static uint64_t count_executed(const struct events *events)
{
    const struct engine *engine = events->engine;
    const struct flow_result *result = &engine->executed.result;
    return result->instructions + result->root_instructions + engine->executed.instructions;
}

void emit_anchor(struct events *events)
{
    events->emit.anchored = true;
    events->emit.anchor = count_executed(events);
}

/* To the instruction that is so many after the anchor. */
static enum flow_error walk_from_anchor(struct events *events, uint64_t count)
{
    struct engine *engine = events->engine;
    const uint64_t passed = count_executed(events) - events->emit.anchor;
    if (!events->emit.anchored || engine->event || engine->entered || count < passed)
        return FLOW_ERROR_PACKET;
    for (uint64_t i = passed; i < count; i++) {
        enum flow_error error = FLOW_OK;
        const struct block *block = walk_block(engine, &error);
        if (block)
            error = walk_to(engine, WALK_TO_ADDRESS, block_next_ip(block, engine->ip));
        if (error)
            return error;
    }
    return FLOW_OK;
}

/* It was so many instructions after the last IP or branch in a packet; or a FUP gives its IP; or its IP is unknown. */
enum flow_error emit_trig(struct events *events, const struct packet *packet)
{
    struct engine *engine = events->engine;
    const struct flow_event event = {.kind = FLOW_EVENT_TRIG, .value = packet->payload, .flag = packet->more};
    if (packet->fup_follows && (!packet->has_icnt || packet->icnt))
        return FLOW_ERROR_PACKET;
    if (packet->icnt && !engine->tracing)
        return FLOW_ERROR_PACKET;
    if (packet->fup_follows) {
        engine->fup = FUP_UNBOUND;
        emit_later(events, WAIT_FOR_FUP, event);
        return FLOW_OK;
    }
    const bool exact = packet->has_icnt && engine->tracing;
    const enum flow_error error = exact ? walk_from_anchor(events, packet->icnt) : FLOW_OK;
    if (error)
        return error;
    emit_now_at(events, event, exact, engine->ip);
    if (exact)
        emit_anchor(events);
    return FLOW_OK;
}
