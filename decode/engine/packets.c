/* Reading the trace. Most of it is short TNT packets, of one byte, which need no parser. */
#include "decode/engine/engine.h"

/* Bits of a branch can only stand where code is traced. */
static enum flow_error bits_allowed(const struct engine *engine)
{
    if (!engine->tracing || engine->header)
        return FLOW_ERROR_CONTEXT;
    return engine->event || engine->entered ? FLOW_ERROR_MISMATCH : FLOW_OK;
}

static enum flow_error take_bits(struct engine *engine, uint64_t bits, unsigned count)
{
    const enum flow_error error = bits_allowed(engine);
    engine->before = PT_PACKET_TNT_8;
    return error ? error : walk_bits(engine, bits, count);
}

static void take_time(struct engine *engine, const struct packet *packet)
{
    if (!engine->input->timed || !engine_clock_take(&engine->clock, packet))
        return;
    executed_flush(&engine->executed);
    engine->executed.tsc = engine->clock.tsc;
}

/* A packet that may stand between two others that belong together. */
static bool is_between(enum packet_kind kind)
{
    return kind == PT_PACKET_PAD || kind == PT_PACKET_TSC || kind == PT_PACKET_TMA || kind == PT_PACKET_MTC ||
           kind == PT_PACKET_CYC || kind == PT_PACKET_CBR;
}

/* The packets that came with Event Trace and Trigger Tracing say nothing of the flow. But a FUP behind them may stand
 * alone, where all others belong to a branch: behind CFE and TRIG with the IP bit, and behind a MODE.Exec that tells of
 * a new IF. */
static bool has_lone_fup(const struct engine *engine, const struct packet *packet)
{
    if (packet->kind == PT_PACKET_CFE || packet->kind == PT_PACKET_TRIG)
        return packet->fup_follows;
    return packet->kind == PT_PACKET_FUP && engine->before == PT_PACKET_MODE_EXEC && !engine->header;
}

/* Read the packet at at. FLOW_OK with size 0: the trace ends within it. */
static enum flow_error read_packet(struct engine *engine, struct packet *packet, bool to_psb)
{
    const int length = packet_parse(packet, engine->at, (size_t)(engine->end - engine->at));
    engine->packet = engine->at;
    if (length == PT_PARSE_TRUNCATED) {
        packet->size = 0;
        if (!to_psb)
            engine->at = engine->end;
        return to_psb ? FLOW_ERROR_RUN_IN : FLOW_OK;
    }
    if (length < 0)
        return FLOW_ERROR_OPCODE;
    engine->at += length;
    engine->nr_packets++;
    return FLOW_OK;
}

static enum flow_error take_packet(struct engine *engine, bool to_psb)
{
    struct packet packet;
    enum flow_error error = read_packet(engine, &packet, to_psb);
    if (error || packet.size == 0)
        return error;
    if (has_lone_fup(engine, &packet))
        return FLOW_ERROR_EVENT_TRACE;
    if (is_between(packet.kind)) {
        take_time(engine, &packet);
        return FLOW_OK;
    }
    if (packet.kind == PT_PACKET_TNT_8 || packet.kind == PT_PACKET_TNT_64)
        return take_bits(engine, packet.tnt, packet.tnt_bits);
    error = event_take(engine, &packet);
    engine->before = packet.kind;
    return error;
}

enum flow_error packets_deferred_tip(struct engine *engine, uint64_t *ip)
{
    while (engine->at < engine->end) {
        struct packet packet;
        const enum flow_error error = read_packet(engine, &packet, false);
        if (error || packet.size == 0)
            return error ? error : FLOW_ERROR_LEFT_OVER;
        if (packet.kind == PT_PACKET_TIP)
            return event_ip(engine, &packet, ip) ? FLOW_OK : FLOW_ERROR_NO_IP;
        if (!is_between(packet.kind))
            return FLOW_ERROR_MISMATCH;
        take_time(engine, &packet);
    }
    return FLOW_ERROR_LEFT_OVER;
}

/* The stop bit is the highest one. */
static enum flow_error take_short_tnt(struct engine *engine, uint8_t byte)
{
    const unsigned bits = byte >> 1, count = 31u - (unsigned)__builtin_clz(bits);
    engine->packet = engine->at++;
    engine->nr_packets++;
    return take_bits(engine, bits & ((1u << count) - 1), count);
}

enum flow_error packets_run(struct engine *engine, bool to_psb)
{
    enum flow_error error = FLOW_OK;
    engine->executed.handed_on = 0;
    while (!error && engine->at < engine->end && engine->executed.handed_on < EXECUTED_BATCH) {
        const uint8_t byte = *engine->at;
        if (byte >= 4 && (byte & 1) == 0)
            error = take_short_tnt(engine, byte);
        else
            error = take_packet(engine, to_psb);
        if (engine->executed.proven > EXECUTED_BATCH)
            executed_flush(&engine->executed);
    }
    return error;
}
