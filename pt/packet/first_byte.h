/*
 * Packets whose kind and size follow from their first byte: nearly all packets of a trace. The parser's fast path.
 *
 * Source: SDM "Packet Definitions" (36.4.2). The table has the part of the payload that is in the first byte; the rest
 * is all of the bytes after it. Size 0: the first byte does not determine the packet. Private to pt/packet/.
 */
#ifndef PT_PACKET_FIRST_BYTE_H
#define PT_PACKET_FIRST_BYTE_H

#include "pt/packet/packet.h"

/* The highest bit is the stop bit. */
#define TNT(byte, bits)                                                                                                \
    [byte] = {.kind = PT_PACKET_TNT_8, .size = 1, .tnt_bits = bits, .tnt = ((byte) >> 1) - (1u << (bits))}
#define TNT_2(byte, bits) TNT(byte, bits), TNT((byte) + 2, bits)
#define TNT_4(byte, bits) TNT_2(byte, bits), TNT_2((byte) + 4, bits)
#define TNT_8(byte, bits) TNT_4(byte, bits), TNT_4((byte) + 8, bits)
#define TNT_16(byte, bits) TNT_8(byte, bits), TNT_8((byte) + 16, bits)
#define TNT_32(byte, bits) TNT_16(byte, bits), TNT_16((byte) + 32, bits)

#define CYC(byte) [byte] = {.kind = PT_PACKET_CYC, .size = 1, .cyc = (byte) >> 3}
#define CYC_4(byte) CYC(byte), CYC((byte) + 8), CYC((byte) + 16), CYC((byte) + 24)
#define CYC_16(byte) CYC_4(byte), CYC_4((byte) + 32), CYC_4((byte) + 64), CYC_4((byte) + 96)

#define IP_OF(byte, kind_of, length, form) [(byte) | (form) << 5] = {.kind = kind_of, .size = length, .ip_bytes = form}
#define IP(byte, kind)                                                                                                 \
    IP_OF(byte, kind, 1, PT_IP_SUPPRESSED), IP_OF(byte, kind, 3, PT_IP_UPDATE_16),                                     \
        IP_OF(byte, kind, 5, PT_IP_UPDATE_32), IP_OF(byte, kind, 7, PT_IP_SEXT_48),                                    \
        IP_OF(byte, kind, 7, PT_IP_UPDATE_48), IP_OF(byte, kind, 9, PT_IP_FULL_64)

static const struct packet packet_by_first_byte[256] = {
    [0x00] = {.kind = PT_PACKET_PAD, .size = 1},
    TNT_2(0x04, 1),
    TNT_4(0x08, 2),
    TNT_8(0x10, 3),
    TNT_16(0x20, 4),
    TNT_32(0x40, 5),
    TNT_32(0x80, 6),
    TNT_32(0xc0, 6),
    CYC_16(0x03),
    CYC_16(0x83),
    IP(0x01, PT_PACKET_TIP_PGD),
    IP(0x0d, PT_PACKET_TIP),
    IP(0x11, PT_PACKET_TIP_PGE),
    IP(0x1d, PT_PACKET_FUP),
    [0x19] = {.kind = PT_PACKET_TSC, .size = 8},
    [0x59] = {.kind = PT_PACKET_MTC, .size = 2},
};

#undef TNT
#undef TNT_2
#undef TNT_4
#undef TNT_8
#undef TNT_16
#undef TNT_32
#undef CYC
#undef CYC_4
#undef CYC_16
#undef IP_OF
#undef IP

#endif
