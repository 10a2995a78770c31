/* Reads the packets of the trace. Most of them are short TNT packets of one byte, which need no parser. */
#include "decode/engine/packets.h"

#include <string.h>

#include "decode/engine/errata_flow.h"
#include "decode/engine/events.h"
#include "decode/engine/packet_rules.h"
#include "decode/engine/segment.h"
#include "decode/engine/timed.h"
#include "decode/engine/walk.h"
#include "decode/engine/walk_known.h"

/* Are TNT bits valid at this point? */
static enum flow_error bits_allowed(const struct engine *engine)
{
    if (!engine->tracing || engine->header)
        return FLOW_ERROR_CONTEXT;
    return engine->event || engine->entered ? FLOW_ERROR_MISMATCH : FLOW_OK;
}

/* Packets that are generated when what they report happens, and that prove everything before it. */
static bool is_exact(enum packet_kind kind)
{
    return kind == PT_PACKET_TIP || kind == PT_PACKET_TIP_PGE || kind == PT_PACKET_TIP_PGD || kind == PT_PACKET_FUP ||
           kind == PT_PACKET_PSBEND;
}

enum flow_error packets_read(struct engine *engine, struct packet *packet, bool to_psb)
{
    const int length = packet_parse_next(packet, engine->at, (size_t)(engine->end - engine->at), &engine->clock.block);
    engine->packet = engine->at;
    if (length == PT_PARSE_TRUNCATED) {
        packet->size = 0;
        if (!to_psb)
            engine->at = engine->end;
        return to_psb ? FLOW_ERROR_RUN_IN : FLOW_OK;
    }
    if (length < 0)
        return FLOW_ERROR_OPCODE;
    if (engine->errata.skd007 && packet_swallowed_ovf(packet, engine->at, (uint64_t)(engine->end - engine->at))) {
        engine->at++;
        return packets_read(engine, packet, to_psb);
    }
    engine->at += length;
    engine->nr_packets++;
    return FLOW_OK;
}

/* A branch requires a TIP while TNT bits are left: its TIP follows the TNT packet (SDM 36.4.2.3, "Deferred TIPs"). */
static enum flow_error find_deferred_tip(struct engine *engine, uint64_t *ip)
{
    while (engine->at < engine->end) {
        struct packet packet;
        const enum flow_error error = packets_read(engine, &packet, false);
        if (error || packet.size == 0)
            return error ? error : FLOW_ERROR_LEFT_OVER;
        if (packet.kind == PT_PACKET_TIP)
            return engine_packet_ip(engine, &packet, ip) ? FLOW_OK : FLOW_ERROR_NO_IP;
        if (!packet_is_between(packet.kind))
            return FLOW_ERROR_MISMATCH;
        timed_take(engine, &packet);
    }
    return FLOW_ERROR_LEFT_OVER;
}

enum flow_error packets_deferred_tip(struct engine *engine)
{
    uint64_t ip;
    const enum flow_error error = find_deferred_tip(engine, &ip);
    if (error)
        return error;
    if (segment_arrive(engine, walk_is_far(engine->block), engine->mode, &ip) != FLOW_OK)
        return FLOW_ERROR_SEGMENT;
    walk_by_packet(engine, engine->block, ip);
    executed_prove(&engine->executed);
    if (executed_has_batch(&engine->executed))
        executed_flush(&engine->executed);
    return FLOW_OK;
}

/* Follow TNT bits by the general walk, after walk_known has followed them as far as it can. */
static enum flow_error follow_bits(struct engine *engine, uint64_t bits, unsigned count)
{
    enum flow_error error = FLOW_OK;
    while (!error && (count = walk_bits(engine, bits, count, &error)) > 0 && !error)
        error = packets_deferred_tip(engine);
    return error;
}

static enum flow_error take_bits(struct engine *engine, uint64_t bits, unsigned count)
{
    enum flow_error error = bits_allowed(engine);
    engine->before = PT_PACKET_TNT_8;
    if (!error && walk_known_may(engine))
        count = walk_known(engine, bits, count);
    if (!error && __builtin_expect(count > 0, 0))
        error = follow_bits(engine, bits, count);
    if (engine->timed.unsettled)
        timed_proved(engine, false);
    return error;
}

static enum flow_error take_packet(struct engine *engine, bool to_psb)
{
    struct packet packet;
    enum flow_error error = packets_read(engine, &packet, to_psb);
    if (error || packet.size == 0)
        return error;
    if (packet_has_lone_fup(&packet, engine->before, engine->header))
        return FLOW_ERROR_EVENT_TRACE;
    if (packet_is_between(packet.kind)) {
        timed_take(engine, &packet);
        return FLOW_OK;
    }
    if (packet.kind == PT_PACKET_TNT_8 || packet.kind == PT_PACKET_TNT_64)
        return take_bits(engine, packet.tnt, packet.tnt_bits);
    if (!errata_skip(engine, &packet))
        error = event_take(engine, &packet);
    if (engine->timed.unsettled && is_exact(packet.kind))
        timed_proved(engine, true);
    engine->before = packet.kind;
    return error;
}

/* Within a block, no byte is a short TNT. */
static enum flow_error take_packets(struct engine *engine, bool to_psb)
{
    enum flow_error error;
    do
        error = take_packet(engine, to_psb);
    while (!error && engine->clock.block != PACKET_BLOCK_NONE && engine->at < engine->end);
    return error;
}

/* The highest set bit of a short TNT is the stop bit. */
static enum flow_error take_short_tnt(struct engine *engine, uint8_t byte)
{
    const unsigned bits = byte >> 1, count = 31u - (unsigned)__builtin_clz(bits);
    engine->packet = engine->at++;
    engine->nr_packets++;
    return take_bits(engine, bits & ((1u << count) - 1), count);
}

/* A fast path for the most frequent TIPs: those of near branches in code that is known already. false: nothing was
 * read. */
static bool take_near_tip(struct engine *engine, uint8_t byte)
{
    static const uint8_t sizes[8] = {
        [PT_IP_UPDATE_16] = 2, [PT_IP_UPDATE_32] = 4, [PT_IP_SEXT_48] = 6, [PT_IP_UPDATE_48] = 6, [PT_IP_FULL_64] = 8};
    const enum pt_ip_bytes ip_bytes = (enum pt_ip_bytes)(byte >> 5);
    uint64_t payload, ip;
    if (!engine->block || engine->end - engine->at <= (ptrdiff_t)sizeof(payload) || !sizes[ip_bytes] ||
        !walk_known_may(engine) || engine->mode_pending || bits_allowed(engine) != FLOW_OK)
        return false;
    memcpy(&payload, engine->at + 1, sizeof(payload));
    if (ip_bytes != PT_IP_FULL_64)
        payload &= (1ull << 8 * sizes[ip_bytes]) - 1;
    pt_ip_expand(&ip, ip_bytes, payload, engine->last_ip);
    if (!walk_known_tip(engine, ip))
        return false;
    engine->last_ip = ip;
    engine->at += 1 + sizes[ip_bytes];
    engine->nr_packets++;
    engine->before = PT_PACKET_TIP;
    if (engine->timed.unsettled)
        timed_proved(engine, true);
    return true;
}

enum flow_error packets_run(struct engine *engine, bool to_psb)
{
    enum flow_error error = FLOW_OK;
    engine->executed.flushed = 0;
    while (!error && engine->at < engine->end && engine->executed.flushed < EXECUTED_BATCH) {
        const uint8_t byte = *engine->at;
        if (byte >= 4 && (byte & 1) == 0)
            error = take_short_tnt(engine, byte);
        else if ((byte & 0x1f) != 0x0d || !take_near_tip(engine, byte))
            error = take_packets(engine, to_psb);
        if (executed_has_batch(&engine->executed))
            executed_flush(&engine->executed);
    }
    return engine->executed.no_memory ? FLOW_ERROR_MEMORY : error;
}
