/* Events, where they are asked for: around what the packets mean for the walk (events.c), what they mean for whoever
 * listens. They come in the order of what was executed. */
#include "decode/engine/tell.h"

#include "decode/engine/events.h"
#include "decode/engine/packet_rules.h"
#include "decode/engine/tell_branch.h"
#include "decode/engine/tell_error.h"
#include "decode/engine/tell_queue.h"
#include "decode/engine/tell_trace.h"

void tell_cbr(struct engine *engine, const struct packet *packet)
{
    if (!engine->header)
        tell_now(engine, tell_event(FLOW_EVENT_CBR, packet->payload));
}

/* Does a TIP.PGE follow, but for packets that may stand anywhere? */
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

/* What a PSB+ says of whether tracing is on was so before it, but by BDM70, where tracing begins right behind it. */
static enum flow_error tell_whether_on(struct engine *engine)
{
    const bool on = engine->tracing;
    if (!engine->tell.synced || !engine->tell.was_known || engine->tell.was_tracing == on ||
        (on && pge_follows(engine)))
        return FLOW_OK;
    if (!engine->input->resync)
        return FLOW_ERROR_BOUNDARY;
    tell_error(engine, FLOW_ERROR_BOUNDARY);
    if (!on)
        tell_now(engine, tell_event(FLOW_EVENT_DISABLED, 0));
    return FLOW_OK;
}

/* A mode that is none of before's; and IF, of CPUs with Event Trace, where it may have a FUP of its own. */
static enum flow_error tell_mode(struct engine *engine, const struct packet *packet)
{
    struct tell *tell = &engine->tell;
    const bool header = engine->header;
    const int mode = packet->cs_l ? INSTRUCTION_64 : packet->cs_d ? INSTRUCTION_32 : INSTRUCTION_16;
    struct flow_event changed = tell_event(FLOW_EVENT_IF, packet->iflag);
    changed.flag = !tell->mode_known || packet->iflag != tell->iflag;
    const bool other = !tell->mode_known || mode != tell->mode;
    if (header && tell->synced && tell->mode_known && other)
        return FLOW_ERROR_BOUNDARY;
    tell->mode_known = true;
    tell->mode = mode;
    tell->iflag = packet->iflag;
    const enum flow_error error = event_take(engine, packet);
    if (error || header)
        return error;
    if (other)
        tell_later(engine, TELL_FOR_FUP_OR_TIP, tell_event(FLOW_EVENT_MODE, (uint64_t)mode));
    tell_later(engine, TELL_FOR_FUP_OR_TIP, changed);
    if (!engine->event)
        engine->fup = FUP_ALONE;
    return FLOW_OK;
}

static enum flow_error tell_tsx(struct engine *engine, const struct packet *packet)
{
    struct flow_event event = tell_event(FLOW_EVENT_TSX, packet->tx_abort ? FLOW_TSX_ABORTED
                                                         : packet->in_tx  ? FLOW_TSX_BEGUN
                                                                          : FLOW_TSX_COMMITTED);
    event.flag = engine->header;
    if (engine->header || !engine->tracing)
        tell_now(engine, event);
    else
        tell_later(engine, packet->tx_abort ? TELL_FOR_BRANCH_FUP : TELL_FOR_FUP, event);
    return event_take(engine, packet);
}

/* Does a FUP follow, but for packets that may stand anywhere? */
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

/* What was waiting is lost, where tracing was on: nobody knows where it was. */
static enum flow_error tell_overflow(struct engine *engine, const struct packet *packet)
{
    struct tell *tell = &engine->tell;
    const bool tracing = engine->tracing;
    const enum flow_error error = event_take(engine, packet);
    tell_waiting_at(engine, TELL_ANY_OF(TELL_FOR_PSBEND), false, 0);
    if (!tracing)
        tell_waiting_at(engine, ~0u, false, 0);
    *tell = (struct tell){.on = true, .synced = true, .overflow = fup_follows(engine)};
    if (!error && !tell->overflow)
        tell_now(engine, tell_event(FLOW_EVENT_OVERFLOW, 0));
    return error;
}

void tell_lost_fup(struct engine *engine)
{
    engine->tell.overflow = false;
    tell_now(engine, tell_event(FLOW_EVENT_OVERFLOW, 0));
}

/* MWAIT waits for EXSTOP, and with it for its FUP. */
static enum flow_error tell_exstop(struct engine *engine, const struct packet *packet)
{
    struct flow_event event;
    const bool mwait = tell_take_waiting(&engine->tell, TELL_ANY_OF(TELL_FOR_EXSTOP), &event);
    const struct flow_event exstop = tell_event(FLOW_EVENT_EXSTOP, 0);
    if (packet->fup_follows) {
        if (mwait)
            tell_later(engine, TELL_FOR_FUP, event);
        tell_later(engine, TELL_FOR_FUP, exstop);
    } else {
        if (mwait)
            tell_now(engine, event);
        tell_now(engine, exstop);
    }
    return event_take(engine, packet);
}

static enum flow_error tell_ptwrite(struct engine *engine, const struct packet *packet)
{
    const bool passes = engine->tracing && !engine->lost && !engine->header && !packet->fup_follows;
    struct flow_event event = tell_event(FLOW_EVENT_PTWRITE, packet->payload);
    event.flag = packet->fup_follows;
    if (packet->fup_follows)
        tell_later(engine, TELL_FOR_FUP, event);
    const enum flow_error error = event_take(engine, packet);
    if (!error && !packet->fup_follows)
        tell_now_at(engine, event, passes, engine->passed_ip);
    return error;
}

/* A PWRE waits for its PWRX. */
static enum flow_error tell_power(struct engine *engine, const struct packet *packet)
{
    if (packet->kind == PT_PACKET_MWAIT)
        tell_later(engine, TELL_FOR_EXSTOP, tell_event(FLOW_EVENT_MWAIT, packet->payload));
    if (packet->kind == PT_PACKET_PWRE)
        tell_later(engine, TELL_FOR_PWRX, tell_event(FLOW_EVENT_PWRE, packet->payload));
    if (packet->kind == PT_PACKET_PWRX) {
        tell_waiting_at(engine, TELL_ANY_OF(TELL_FOR_PWRX), false, 0);
        tell_now(engine, tell_event(FLOW_EVENT_PWRX, packet->payload));
    }
    return event_take(engine, packet);
}

static enum flow_error tell_psb(struct engine *engine, const struct packet *packet)
{
    enum flow_error error = event_take(engine, packet);
    if (packet->kind == PT_PACKET_PSB) {
        engine->tell.nr_waiting = 0;
        return error;
    }
    if (!error)
        error = tell_whether_on(engine);
    engine->tell.synced = true;
    tell_waiting_at(engine, TELL_ANY_OF(TELL_FOR_PSBEND), false, 0);
    if (!error && engine->input->ticks)
        tell_now(engine, tell_event(FLOW_EVENT_PSB, 0));
    return error;
}

static enum flow_error tell_alone(struct engine *engine, enum flow_event_kind kind, uint64_t value)
{
    if (engine->header)
        tell_later(engine, TELL_FOR_PSBEND, tell_event(kind, value));
    else
        tell_now(engine, tell_event(kind, value));
    return FLOW_OK;
}

static enum flow_error (*const tells[PT_PACKET_NR_KINDS])(struct engine *, const struct packet *) = {
    [PT_PACKET_TIP] = tell_tip,        [PT_PACKET_TIP_PGE] = tell_pge,   [PT_PACKET_TIP_PGD] = tell_pgd,
    [PT_PACKET_FUP] = tell_fup,        [PT_PACKET_PIP] = tell_pip,       [PT_PACKET_VMCS] = tell_vmcs,
    [PT_PACKET_MODE_EXEC] = tell_mode, [PT_PACKET_MODE_TSX] = tell_tsx,  [PT_PACKET_OVF] = tell_overflow,
    [PT_PACKET_PTW] = tell_ptwrite,    [PT_PACKET_EXSTOP] = tell_exstop, [PT_PACKET_MWAIT] = tell_power,
    [PT_PACKET_PWRE] = tell_power,     [PT_PACKET_PWRX] = tell_power,    [PT_PACKET_PSB] = tell_psb,
    [PT_PACKET_PSBEND] = tell_psb,     [PT_PACKET_CFE] = tell_cfe,       [PT_PACKET_EVD] = tell_evd,
    [PT_PACKET_TRIG] = tell_trig,
};

enum flow_error tell_take(struct engine *engine, const struct packet *packet)
{
    if (packet->kind == PT_PACKET_TRACESTOP)
        return tell_alone(engine, FLOW_EVENT_STOP, 0);
    if (packet->kind == PT_PACKET_MNT)
        return tell_alone(engine, FLOW_EVENT_MNT, packet->payload);
    return tells[packet->kind] ? tells[packet->kind](engine, packet) : event_take(engine, packet);
}
