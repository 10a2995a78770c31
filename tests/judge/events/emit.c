/* What packets report to ptxed, in the order of execution, in addition to what they mean for the walk
 * (decode/engine/events.c). */
#include "tests/judge/events/emit.h"

#include "decode/engine/events.h"
#include "decode/engine/packet_rules.h"
#include "tests/judge/events/emit_branch.h"
#include "tests/judge/events/emit_error.h"
#include "tests/judge/events/emit_queue.h"
#include "tests/judge/events/emit_trace.h"

void emit_cbr(struct events *events, const struct packet *packet)
{
    struct engine *engine = events->engine;
    if (!engine->header)
        emit_now(events, emit_event(FLOW_EVENT_CBR, packet->payload));
}

/* Is the next packet a TIP.PGE, apart from those that may occur anywhere? */
static bool pge_follows(const struct events *events)
{
    const struct engine *engine = events->engine;
    const uint8_t *at = engine->at;
    struct packet packet;
    for (int size; at < engine->end; at += size) {
        size = packet_parse(&packet, at, (size_t)(engine->end - at));
        if (size <= 0 || !packet_is_between(packet.kind))
            return size > 0 && packet.kind == PT_PACKET_TIP_PGE;
    }
    return false;
}

/* Whether tracing is on is the same in a PSB+ as before it, except with erratum BDM70: tracing begins right after it.
 */
static enum flow_error emit_whether_on(struct events *events)
{
    struct engine *engine = events->engine;
    const bool on = engine->tracing;
    if (!events->emit.synced || !events->emit.was_known || events->emit.was_tracing == on ||
        (on && pge_follows(events)))
        return FLOW_OK;
    if (!events->sink.resync)
        return FLOW_ERROR_BOUNDARY;
    emit_error(events, FLOW_ERROR_BOUNDARY);
    if (!on)
        emit_now(events, emit_event(FLOW_EVENT_DISABLED, 0));
    return FLOW_OK;
}

/* A mode other than the one before; and IF, of CPUs with Event Trace, where it may have a FUP of its own. */
static enum flow_error emit_mode(struct events *events, const struct packet *packet)
{
    struct engine *engine = events->engine;
    struct emit *emit = &events->emit;
    const bool header = engine->header;
    const int mode = packet->cs_l ? INSTRUCTION_64 : packet->cs_d ? INSTRUCTION_32 : INSTRUCTION_16;
    struct flow_event changed = emit_event(FLOW_EVENT_IF, packet->iflag);
    changed.flag = !emit->mode_known || packet->iflag != emit->iflag;
    const bool other = !emit->mode_known || mode != emit->mode;
    if (header && emit->synced && emit->mode_known && other)
        return FLOW_ERROR_BOUNDARY;
    emit->mode_known = true;
    emit->mode = mode;
    emit->iflag = packet->iflag;
    const enum flow_error error = events_take(events, packet);
    if (error || header)
        return error;
    if (other)
        emit_later(events, WAIT_FOR_FUP_OR_TIP, emit_event(FLOW_EVENT_MODE, (uint64_t)mode));
    emit_later(events, WAIT_FOR_FUP_OR_TIP, changed);
    if (!engine->event)
        engine->fup = FUP_UNBOUND;
    return FLOW_OK;
}

static enum flow_error emit_tsx(struct events *events, const struct packet *packet)
{
    struct engine *engine = events->engine;
    struct flow_event event = emit_event(FLOW_EVENT_TSX, packet->tx_abort ? FLOW_TSX_ABORTED
                                                         : packet->in_tx  ? FLOW_TSX_BEGUN
                                                                          : FLOW_TSX_COMMITTED);
    event.flag = engine->header;
    if (engine->header || !engine->tracing)
        emit_now(events, event);
    else
        emit_later(events, packet->tx_abort ? WAIT_FOR_BRANCH_FUP : WAIT_FOR_FUP, event);
    return events_take(events, packet);
}

/* Is the next packet a FUP, apart from those that may occur anywhere? */
static bool fup_follows(const struct events *events)
{
    const struct engine *engine = events->engine;
    const uint8_t *at = engine->at;
    struct packet packet;
    for (int size; at < engine->end; at += size) {
        size = packet_parse(&packet, at, (size_t)(engine->end - at));
        if (size <= 0)
            return false;
        if (packet.kind != PT_PACKET_MNT && !packet_is_between(packet.kind))
            return packet.kind == PT_PACKET_FUP;
    }
    return false;
}

/* If tracing was on, the IPs of events that are waiting are lost. */
static enum flow_error emit_overflow(struct events *events, const struct packet *packet)
{
    struct engine *engine = events->engine;
    struct emit *emit = &events->emit;
    const bool tracing = engine->tracing;
    const enum flow_error error = events_take(events, packet);
    emit_waiting_at(events, EMIT_ANY_OF(WAIT_FOR_PSBEND), false, 0);
    if (!tracing)
        emit_waiting_at(events, ~0u, false, 0);
    *emit = (struct emit){.synced = true, .overflow = fup_follows(events)};
    if (!error && !emit->overflow)
        emit_now(events, emit_event(FLOW_EVENT_OVERFLOW, 0));
    return error;
}

void emit_lost_fup(struct events *events)
{
    events->emit.overflow = false;
    emit_now(events, emit_event(FLOW_EVENT_OVERFLOW, 0));
}

/* MWAIT waits for EXSTOP, and with it for its FUP. */
static enum flow_error emit_exstop(struct events *events, const struct packet *packet)
{
    struct flow_event event;
    const bool mwait = emit_take_waiting(&events->emit, EMIT_ANY_OF(WAIT_FOR_EXSTOP), &event);
    const struct flow_event exstop = emit_event(FLOW_EVENT_EXSTOP, 0);
    if (packet->fup_follows) {
        if (mwait)
            emit_later(events, WAIT_FOR_FUP, event);
        emit_later(events, WAIT_FOR_FUP, exstop);
    } else {
        if (mwait)
            emit_now(events, event);
        emit_now(events, exstop);
    }
    return events_take(events, packet);
}

static enum flow_error emit_ptwrite(struct events *events, const struct packet *packet)
{
    struct engine *engine = events->engine;
    const bool passes = engine->tracing && !events->lost && !engine->header && !packet->fup_follows;
    struct flow_event event = emit_event(FLOW_EVENT_PTWRITE, packet->payload);
    event.flag = packet->fup_follows;
    if (packet->fup_follows)
        emit_later(events, WAIT_FOR_FUP, event);
    const enum flow_error error = events_take(events, packet);
    if (!error && !packet->fup_follows)
        emit_now_at(events, event, passes, events_last_instruction(events));
    return error;
}

/* A PWRE waits for its PWRX. */
static enum flow_error emit_power(struct events *events, const struct packet *packet)
{
    if (packet->kind == PT_PACKET_MWAIT)
        emit_later(events, WAIT_FOR_EXSTOP, emit_event(FLOW_EVENT_MWAIT, packet->payload));
    if (packet->kind == PT_PACKET_PWRE)
        emit_later(events, WAIT_FOR_PWRX, emit_event(FLOW_EVENT_PWRE, packet->payload));
    if (packet->kind == PT_PACKET_PWRX) {
        emit_waiting_at(events, EMIT_ANY_OF(WAIT_FOR_PWRX), false, 0);
        emit_now(events, emit_event(FLOW_EVENT_PWRX, packet->payload));
    }
    return events_take(events, packet);
}

static enum flow_error emit_psb(struct events *events, const struct packet *packet)
{
    enum flow_error error = events_take(events, packet);
    if (packet->kind == PT_PACKET_PSB) {
        events->emit.nr_waiting = 0;
        return error;
    }
    if (!error)
        error = emit_whether_on(events);
    events->emit.synced = true;
    emit_waiting_at(events, EMIT_ANY_OF(WAIT_FOR_PSBEND), false, 0);
    if (!error && events->sink.ticks)
        emit_now(events, emit_event(FLOW_EVENT_PSB, 0));
    return error;
}

static enum flow_error emit_unbound(struct events *events, enum flow_event_kind kind, uint64_t value)
{
    struct engine *engine = events->engine;
    if (engine->header)
        emit_later(events, WAIT_FOR_PSBEND, emit_event(kind, value));
    else
        emit_now(events, emit_event(kind, value));
    return FLOW_OK;
}

static enum flow_error (*const emitters[PT_PACKET_NR_KINDS])(struct events *, const struct packet *) = {
    [PT_PACKET_TIP] = emit_tip,        [PT_PACKET_TIP_PGE] = emit_pge,   [PT_PACKET_TIP_PGD] = emit_pgd,
    [PT_PACKET_FUP] = emit_fup,        [PT_PACKET_PIP] = emit_pip,       [PT_PACKET_VMCS] = emit_vmcs,
    [PT_PACKET_MODE_EXEC] = emit_mode, [PT_PACKET_MODE_TSX] = emit_tsx,  [PT_PACKET_OVF] = emit_overflow,
    [PT_PACKET_PTW] = emit_ptwrite,    [PT_PACKET_EXSTOP] = emit_exstop, [PT_PACKET_MWAIT] = emit_power,
    [PT_PACKET_PWRE] = emit_power,     [PT_PACKET_PWRX] = emit_power,    [PT_PACKET_PSB] = emit_psb,
    [PT_PACKET_PSBEND] = emit_psb,     [PT_PACKET_CFE] = emit_cfe,       [PT_PACKET_EVD] = emit_evd,
    [PT_PACKET_TRIG] = emit_trig,
};

enum flow_error emit_take(struct events *events, const struct packet *packet)
{
    if (packet->kind == PT_PACKET_TRACESTOP)
        return emit_unbound(events, FLOW_EVENT_STOP, 0);
    if (packet->kind == PT_PACKET_MNT)
        return emit_unbound(events, FLOW_EVENT_MNT, packet->payload);
    return emitters[packet->kind] ? emitters[packet->kind](events, packet) : events_take(events, packet);
}
