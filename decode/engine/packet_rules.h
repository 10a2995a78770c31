/*
 * Which packets belong together: rules that the engine shares with scans of packets without code.
 * Pure.
 */
#ifndef DECODE_ENGINE_PACKET_RULES_H
#define DECODE_ENGINE_PACKET_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "pt/packet/packet.h"

/* A packet that may occur between two others that belong together. */
static inline bool packet_is_between(enum packet_kind kind)
{
    return kind == PT_PACKET_PAD || kind == PT_PACKET_TSC || kind == PT_PACKET_TMA || kind == PT_PACKET_MTC ||
           kind == PT_PACKET_CYC || kind == PT_PACKET_CBR;
}

/* Is the packet followed by a FUP without a branch, or such a FUP itself? All other FUPs belong to a branch. With Event
 * Trace and Trigger Tracing, a FUP may only give the IP of a CFE or TRIG whose IP bit is set, or of a MODE.Exec that
 * reports a new RFLAGS.IF. before: the last packet, not counting those of packet_is_between; header: within a PSB+. SDM
 * "Control Flow Event (CFE) Packet", "TRIG Packet". */
static inline bool packet_has_lone_fup(const struct packet *packet, enum packet_kind before, bool header)
{
    if (packet->kind == PT_PACKET_CFE || packet->kind == PT_PACKET_TRIG)
        return packet->fup_follows;
    return packet->kind == PT_PACKET_FUP && before == PT_PACKET_MODE_EXEC && !header;
}

/* Erratum SKD007: has the CYC packet at bytes swallowed the first byte of an OVF with its second one? size: of all that
 * follows too. */
static inline bool packet_swallowed_ovf(const struct packet *packet, const uint8_t *bytes, uint64_t size)
{
    const uint64_t second_is_02 = 0x20, first = 0x1f;
    const uint8_t ovf = 0xf3;
    return packet->kind == PT_PACKET_CYC && packet->size == 2 && (packet->cyc & ~first) == second_is_02 && size > 2 &&
           bytes[2] == ovf;
}

/* A TMA whose reserved bits are set. bytes: of the packet. SDM "TMA Packet Definition". */
static inline bool packet_is_damaged_tma(const struct packet *packet, const uint8_t *bytes)
{
    return packet->kind == PT_PACKET_TMA && (bytes[4] || bytes[6] & 0xfe);
}

#endif
