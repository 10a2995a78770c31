/*
 * The layout of every packet whose fields have fixed positions: one row per form of a packet. The encoder and the
 * parser both use it. TNT, CYC, PSB, BIP and the packets with an IP payload have functions of their own in encode.c and
 * parse.c; for packets whose first byte determines kind and size, pt/packet/first_byte.h is a faster copy of what is
 * here.
 *
 * Source: SDM "Packet Definitions" (36.4.2), one table per packet; of later editions "Control Flow Event (CFE) Packet",
 * "Event Data (EVD) Packet", "TRIG Packet", "Block Begin Packet (BBP)". Private to pt/packet/.
 */
#ifndef PT_PACKET_LAYOUT_H
#define PT_PACKET_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#include "pt/packet/packet.h"

/* A member of struct packet: its value >> shift is in bits [bit, bit + width) of the packet, counted from the lowest
 * bit of the first byte. A field that does not begin at a byte has at most 57 bits. */
struct packet_field {
    uint8_t offset, bytes; /* of the member */
    uint8_t bit, width, shift;
};

#define PACKET_MAX_FIELDS 5u

struct packet_layout {
    uint32_t header, mask; /* the packet begins with these bits; byte 0 is the lowest */
    uint8_t kind;
    uint8_t header_bytes; /* bytes that mask covers */
    uint8_t size;
    uint8_t ptw_bytes;                             /* PTW, BBP, BIP: this form's payload size; others: 0 */
    struct packet_field fields[PACKET_MAX_FIELDS]; /* up to the first of width 0 */
};

#define FIELD_SHIFTED(member, first_bit, nr_bits, low_bits)                                                            \
    {                                                                                                                  \
        offsetof(struct packet, member), sizeof(((struct packet *)0)->member), first_bit, nr_bits, low_bits            \
    }
#define FIELD(member, first_bit, nr_bits) FIELD_SHIFTED(member, first_bit, nr_bits, 0)

/* The header is one byte; one byte and bits of the second; the extension byte 02H and an opcode byte; that and bits of
 * the opcode byte; 02H and two more bytes. */
#define ONE_BYTE(byte) (byte), 0xff
#define ONE_BYTE_AND(byte, second, bits) ((byte) | (second) << 8), (0xff | (bits) << 8)
#define EXTENDED(opcode) ONE_BYTE_AND(0x02, opcode, 0xff)
#define EXTENDED_BITS(opcode, bits) ONE_BYTE_AND(0x02, opcode, bits)
#define EXTENDED_TWO(opcode, third) (0x02 | (opcode) << 8 | (third) << 16), 0xffffff
#define EXTENDED_BLOCK(opcode, short_items) (0x02 | (opcode) << 8 | (short_items) << 23), 0x80ffff

/* The parser searches from the top: frequent packets first. */
static const struct packet_layout packet_layouts[] = {
    {EXTENDED(0x43), PT_PACKET_PIP, 2, 8, 0, {FIELD(non_root, 16, 1), FIELD_SHIFTED(cr3, 17, 47, 5)}},
    {ONE_BYTE_AND(0x99, 0x00, 0xe0),
     PT_PACKET_MODE_EXEC,
     2,
     2,
     0,
     {FIELD(cs_l, 8, 1), FIELD(cs_d, 9, 1), FIELD(iflag, 10, 1)}},
    {ONE_BYTE_AND(0x99, 0x20, 0xe0), PT_PACKET_MODE_TSX, 2, 2, 0, {FIELD(in_tx, 8, 1), FIELD(tx_abort, 9, 1)}},
    {EXTENDED(0x03), PT_PACKET_CBR, 2, 4, 0, {FIELD(payload, 16, 8)}},
    {EXTENDED(0x73), PT_PACKET_TMA, 2, 7, 0, {FIELD(tma_ctc, 16, 16), FIELD(tma_fc, 40, 9)}},
    {EXTENDED(0xc8), PT_PACKET_VMCS, 2, 7, 0, {FIELD_SHIFTED(vmcs, 16, 40, 12)}},
    {EXTENDED(0x23), PT_PACKET_PSBEND, 2, 2, 0, {{0}}},
    {EXTENDED(0xf3), PT_PACKET_OVF, 2, 2, 0, {{0}}},
    {EXTENDED(0x83), PT_PACKET_TRACESTOP, 2, 2, 0, {{0}}},
    {EXTENDED_BITS(0x12, 0x7f), PT_PACKET_PTW, 2, 6, 4, {FIELD(fup_follows, 15, 1), FIELD(payload, 16, 32)}},
    {EXTENDED_BITS(0x32, 0x7f), PT_PACKET_PTW, 2, 10, 8, {FIELD(fup_follows, 15, 1), FIELD(payload, 16, 64)}},
    {EXTENDED_BITS(0x62, 0x7f), PT_PACKET_EXSTOP, 2, 2, 0, {FIELD(fup_follows, 15, 1)}},
    {EXTENDED(0xc2), PT_PACKET_MWAIT, 2, 10, 0, {FIELD(payload, 16, 64)}},
    {EXTENDED(0x22), PT_PACKET_PWRE, 2, 4, 0, {FIELD(payload, 16, 16)}},
    {EXTENDED(0xa2), PT_PACKET_PWRX, 2, 7, 0, {FIELD(payload, 16, 40)}},
    {EXTENDED(0x13),
     PT_PACKET_CFE,
     2,
     4,
     0,
     {FIELD(event_type, 16, 5), FIELD(fup_follows, 23, 1), FIELD(payload, 24, 8)}},
    {EXTENDED(0x53), PT_PACKET_EVD, 2, 11, 0, {FIELD(event_type, 16, 6), FIELD(payload, 24, 64)}},
    {EXTENDED_TWO(0xc3, 0x88), PT_PACKET_MNT, 3, 11, 0, {FIELD(payload, 24, 64)}},
    {ONE_BYTE_AND(0xd9, 0x00, 0x40),
     PT_PACKET_TRIG,
     2,
     3,
     0,
     {FIELD(fup_follows, 15, 1), FIELD(has_icnt, 14, 1), FIELD(more, 13, 1), FIELD(payload, 16, 8)}},
    {ONE_BYTE_AND(0xd9, 0x40, 0x40),
     PT_PACKET_TRIG,
     2,
     5,
     0,
     {FIELD(fup_follows, 15, 1), FIELD(has_icnt, 14, 1), FIELD(more, 13, 1), FIELD(payload, 16, 8),
      FIELD(icnt, 24, 16)}},
    {EXTENDED_BLOCK(0x63, 0u), PT_PACKET_BBP, 3, 3, 8, {FIELD(event_type, 16, 5)}},
    {EXTENDED_BLOCK(0x63, 1u), PT_PACKET_BBP, 3, 3, 4, {FIELD(event_type, 16, 5)}},
    {EXTENDED_BITS(0x33, 0x7f), PT_PACKET_BEP, 2, 2, 0, {FIELD(fup_follows, 15, 1)}},
    {ONE_BYTE(0x00), PT_PACKET_PAD, 1, 1, 0, {{0}}},
    {ONE_BYTE(0x19), PT_PACKET_TSC, 1, 8, 0, {FIELD(tsc, 8, 56)}},
    {ONE_BYTE(0x59), PT_PACKET_MTC, 1, 2, 0, {FIELD(payload, 8, 8)}},
};
#define NR_PACKET_LAYOUTS (sizeof(packet_layouts) / sizeof(packet_layouts[0]))

#undef FIELD_SHIFTED
#undef FIELD
#undef ONE_BYTE
#undef ONE_BYTE_AND
#undef EXTENDED
#undef EXTENDED_BITS
#undef EXTENDED_TWO
#undef EXTENDED_BLOCK

#endif
