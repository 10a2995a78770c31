/* Events, where they are needed: what packets mean for the consumer, besides what they mean for the walk (events.c).
 * They are in the order of execution. */
#include "decode/engine/emit.h"

#include "decode/engine/emit_branch.h"
#include "decode/engine/emit_error.h"
#include "decode/engine/emit_queue.h"
#include "decode/engine/emit_trace.h"
#include "decode/engine/events.h"
#include "decode/engine/packet_rules.h"

void emit_cbr(struct engine *engine, const struct packet *packet)
{
    if (!engine->header)
        emit_now(engine, emit_event(FLOW_EVENT_CBR, packet->payload));
}

/* Is the next packet a TIP.PGE, apart from those that may occur anywhere? */
static bool pge_follows(const struct engine *engine)
{
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
static enum flow_error emit_whether_on(struct engine *engine)
{
    const bool on = engine->tracing;
    if (!engine->emit.synced || !engine->emit.was_known || engine->emit.was_tracing == on ||
        (on && pge_follows(engine)))
        return FLOW_OK;
    if (!engine->input->resync)
        return FLOW_ERROR_BOUNDARY;
    emit_error(engine, FLOW_ERROR_BOUNDARY);
    if (!on)
        emit_now(engine, emit_event(FLOW_EVENT_DISABLED, 0));
    return FLOW_OK;
}

/* A mode that is none of before's; and IF, of CPUs with Event Trace, where it may have a FUP of its own. */
static enum flow_error emit_mode(struct engine *engine, const struct packet *packet)
{
    struct emit *emit = &engine->emit;
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
    const enum flow_error error = event_take(engine, packet);
    if (error || header)
        return error;
    if (other)
        emit_later(engine, WAIT_FOR_FUP_OR_TIP, emit_event(FLOW_EVENT_MODE, (uint64_t)mode));
    emit_later(engine, WAIT_FOR_FUP_OR_TIP, changed);
    if (!engine->event)
        engine->fup = FUP_ALONE;
    return FLOW_OK;
}

static enum flow_error emit_tsx(struct engine *engine, const struct packet *packet)
{
    struct flow_event event = emit_event(FLOW_EVENT_TSX, packet->tx_abort ? FLOW_TSX_ABORTED
                                                         : packet->in_tx  ? FLOW_TSX_BEGUN
                                                                          : FLOW_TSX_COMMITTED);
    event.flag = engine->header;
    if (engine->header || !engine->tracing)
        emit_now(engine, event);
    else
        emit_later(engine, packet->tx_abort ? WAIT_FOR_BRANCH_FUP : WAIT_FOR_FUP, event);
    return event_take(engine, packet);
}

/* Is the next packet a FUP, apart from those that may occur anywhere? */
static bool fup_follows(const struct engine *engine)
{
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
static enum flow_error emit_overflow(struct engine *engine, const struct packet *packet)
{
    struct emit *emit = &engine->emit;
    const bool tracing = engine->tracing;
    const enum flow_error error = event_take(engine, packet);
    emit_waiting_at(engine, EMIT_ANY_OF(WAIT_FOR_PSBEND), false, 0);
    if (!tracing)
        emit_waiting_at(engine, ~0u, false, 0);
    *emit = (struct emit){.on = true, .synced = true, .overflow = fup_follows(engine)};
    if (!error && !emit->overflow)
        emit_now(engine, emit_event(FLOW_EVENT_OVERFLOW, 0));
    return error;
}

void emit_lost_fup(struct engine *engine)
{
    engine->emit.overflow = false;
    emit_now(engine, emit_event(FLOW_EVENT_OVERFLOW, 0));
}

/* MWAIT waits for EXSTOP, and with it for its FUP. */
static enum flow_error emit_exstop(struct engine *engine, const struct packet *packet)
{
    struct flow_event event;
    const bool mwait = emit_take_waiting(&engine->emit, EMIT_ANY_OF(WAIT_FOR_EXSTOP), &event);
    const struct flow_event exstop = emit_event(FLOW_EVENT_EXSTOP, 0);
    if (packet->fup_follows) {
        if (mwait)
            emit_later(engine, WAIT_FOR_FUP, event);
        emit_later(engine, WAIT_FOR_FUP, exstop);
    } else {
        if (mwait)
            emit_now(engine, event);
        emit_now(engine, exstop);
    }
    return event_take(engine, packet);
}

static enum flow_error emit_ptwrite(struct engine *engine, const struct packet *packet)
{
    const bool passes = engine->tracing && !engine->lost && !engine->header && !packet->fup_follows;
    struct flow_event event = emit_event(FLOW_EVENT_PTWRITE, packet->payload);
    event.flag = packet->fup_follows;
    if (packet->fup_follows)
        emit_later(engine, WAIT_FOR_FUP, event);
    const enum flow_error error = event_take(engine, packet);
    if (!error && !packet->fup_follows)
        emit_now_at(engine, event, passes, engine->passed_ip);
    return error;
}

/* A PWRE waits for its PWRX. */
static enum flow_error emit_power(struct engine *engine, const struct packet *packet)
{
    if (packet->kind == PT_PACKET_MWAIT)
        emit_later(engine, WAIT_FOR_EXSTOP, emit_event(FLOW_EVENT_MWAIT, packet->payload));
    if (packet->kind == PT_PACKET_PWRE)
        emit_later(engine, WAIT_FOR_PWRX, emit_event(FLOW_EVENT_PWRE, packet->payload));
    if (packet->kind == PT_PACKET_PWRX) {
        emit_waiting_at(engine, EMIT_ANY_OF(WAIT_FOR_PWRX), false, 0);
        emit_now(engine, emit_event(FLOW_EVENT_PWRX, packet->payload));
    }
    return event_take(engine, packet);
}

static enum flow_error emit_psb(struct engine *engine, const struct packet *packet)
{
    enum flow_error error = event_take(engine, packet);
    if (packet->kind == PT_PACKET_PSB) {
        engine->emit.nr_waiting = 0;
        return error;
    }
    if (!error)
        error = emit_whether_on(engine);
    engine->emit.synced = true;
    emit_waiting_at(engine, EMIT_ANY_OF(WAIT_FOR_PSBEND), false, 0);
    if (!error && engine->input->ticks)
        emit_now(engine, emit_event(FLOW_EVENT_PSB, 0));
    return error;
}

static enum flow_error emit_alone(struct engine *engine, enum flow_event_kind kind, uint64_t value)
{
    if (engine->header)
        emit_later(engine, WAIT_FOR_PSBEND, emit_event(kind, value));
    else
        emit_now(engine, emit_event(kind, value));
    return FLOW_OK;
}

static enum flow_error (*const emitters[PT_PACKET_NR_KINDS])(struct engine *, const struct packet *) = {
    [PT_PACKET_TIP] = emit_tip,        [PT_PACKET_TIP_PGE] = emit_pge,   [PT_PACKET_TIP_PGD] = emit_pgd,
    [PT_PACKET_FUP] = emit_fup,        [PT_PACKET_PIP] = emit_pip,       [PT_PACKET_VMCS] = emit_vmcs,
    [PT_PACKET_MODE_EXEC] = emit_mode, [PT_PACKET_MODE_TSX] = emit_tsx,  [PT_PACKET_OVF] = emit_overflow,
    [PT_PACKET_PTW] = emit_ptwrite,    [PT_PACKET_EXSTOP] = emit_exstop, [PT_PACKET_MWAIT] = emit_power,
    [PT_PACKET_PWRE] = emit_power,     [PT_PACKET_PWRX] = emit_power,    [PT_PACKET_PSB] = emit_psb,
    [PT_PACKET_PSBEND] = emit_psb,     [PT_PACKET_CFE] = emit_cfe,       [PT_PACKET_EVD] = emit_evd,
    [PT_PACKET_TRIG] = emit_trig,
};

enum flow_error emit_take(struct engine *engine, const struct packet *packet)
{
    if (packet->kind == PT_PACKET_TRACESTOP)
        return emit_alone(engine, FLOW_EVENT_STOP, 0);
    if (packet->kind == PT_PACKET_MNT)
        return emit_alone(engine, FLOW_EVENT_MNT, packet->payload);
    return emitters[packet->kind] ? emitters[packet->kind](engine, packet) : event_take(engine, packet);
}
