/*
 * Which packets belong together: what the engine and whoever looks through packets without the code must judge alike.
 * Pure.
 */
#ifndef DECODE_ENGINE_PACKET_RULES_H
#define DECODE_ENGINE_PACKET_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "pt/packet/packet.h"

/* A packet that may stand between two others that belong together. */
static inline bool packet_is_between(enum packet_kind kind)
{
    return kind == PT_PACKET_PAD || kind == PT_PACKET_TSC || kind == PT_PACKET_TMA || kind == PT_PACKET_MTC ||
           kind == PT_PACKET_CYC || kind == PT_PACKET_CBR;
}

/* The packets that came with Event Trace and Trigger Tracing say nothing of the flow. But a FUP behind them may stand
 * alone, where all others belong to a branch: behind CFE and TRIG with the IP bit, and behind a MODE.Exec that tells of
 * a new IF. before: the last packet that is none of those between; header: within a PSB+. SDM "Control Flow Event (CFE)
 * Packet", "TRIG Packet". */
static inline bool packet_has_lone_fup(const struct packet *packet, enum packet_kind before, bool header)
{
    if (packet->kind == PT_PACKET_CFE || packet->kind == PT_PACKET_TRIG)
        return packet->fup_follows;
    return packet->kind == PT_PACKET_FUP && before == PT_PACKET_MODE_EXEC && !header;
}

/* A TMA whose reserved bits are set. bytes: of the packet. SDM "TMA Packet Definition". */
static inline bool packet_is_damaged_tma(const struct packet *packet, const uint8_t *bytes)
{
    return packet->kind == PT_PACKET_TMA && (bytes[4] || bytes[6] & 0xfe);
}

#endif
