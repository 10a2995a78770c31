/* Kind: core */
/*
 * The packet parser: the inverse of pt/packet/encode.c. One packet at a time, from bytes that may be anything.
 *
 * Core. Source: SDM "Packet Definitions" (36.4.2). Reserved bits of a payload are ignored, as the section demands;
 * bytes that no packet begins with are PT_PARSE_UNKNOWN.
 */
#include <string.h>

#include "pt/packet/first_byte.h"
#include "pt/packet/packet.h"

static uint64_t get_bytes(const uint8_t *bytes, size_t nr_bytes)
{
    uint64_t value = 0;
    for (size_t i = 0; i < nr_bytes; i++)
        value |= (uint64_t)bytes[i] << (8 * i);
    return value;
}

/* Packets whose header is 02H and one opcode byte, and whose payload goes into one field as it stands. */
struct fixed {
    uint8_t opcode;
    uint8_t kind;
    uint8_t payload_bytes;
    uint8_t flags;
};
#define FIXED_FUP 0x1  /* fup_follows is set */
#define FIXED_PTW 0x2  /* ptw_bytes is the payload's size */
#define FIXED_BYTE 0x4 /* only the payload's first byte means something */
#define FIXED_CFE 0x8  /* the first byte is the type and the IP bit */
#define FIXED_EVD 0x10 /* the first byte is the type */

static const struct fixed fixed_packets[] = {
    {0x83, PT_PACKET_TRACESTOP, 0, 0},
    {0x03, PT_PACKET_CBR, 2, FIXED_BYTE},
    {0xf3, PT_PACKET_OVF, 0, 0},
    {0x23, PT_PACKET_PSBEND, 0, 0},
    {0x12, PT_PACKET_PTW, 4, FIXED_PTW},
    {0x32, PT_PACKET_PTW, 8, FIXED_PTW},
    {0x92, PT_PACKET_PTW, 4, FIXED_PTW | FIXED_FUP},
    {0xb2, PT_PACKET_PTW, 8, FIXED_PTW | FIXED_FUP},
    {0x62, PT_PACKET_EXSTOP, 0, 0},
    {0xe2, PT_PACKET_EXSTOP, 0, FIXED_FUP},
    {0xc2, PT_PACKET_MWAIT, 8, 0},
    {0x22, PT_PACKET_PWRE, 2, 0},
    {0xa2, PT_PACKET_PWRX, 5, 0},
    {0x13, PT_PACKET_CFE, 2, FIXED_CFE},
    {0x53, PT_PACKET_EVD, 9, FIXED_EVD},
};

static int parse_fixed(struct packet *packet, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < sizeof(fixed_packets) / sizeof(fixed_packets[0]); i++) {
        const struct fixed *f = &fixed_packets[i];
        if (f->opcode != bytes[1])
            continue;
        if (size < 2u + f->payload_bytes)
            return PT_PARSE_TRUNCATED;
        packet->kind = (enum packet_kind)f->kind;
        const size_t skip = f->flags & (FIXED_CFE | FIXED_EVD) ? 1 : 0;
        packet->payload = get_bytes(bytes + 2 + skip, f->flags & FIXED_BYTE ? 1 : f->payload_bytes - skip);
        packet->fup_follows = f->flags & FIXED_FUP || (f->flags & FIXED_CFE && bytes[2] >> 7);
        if (skip)
            packet->event_type = bytes[2] & (f->flags & FIXED_CFE ? 0x1f : 0x3f);
        packet->ptw_bytes = f->flags & FIXED_PTW ? f->payload_bytes : 0;
        return 2 + f->payload_bytes;
    }
    return PT_PARSE_UNKNOWN;
}

/* The oldest bit stands under the stop bit, which is the highest one. */
static bool take_tnt(struct packet *packet, enum packet_kind kind, uint64_t payload)
{
    const unsigned bits = payload ? 63u - (unsigned)__builtin_clzll(payload) : 0;
    packet->kind = kind;
    packet->tnt_bits = (uint8_t)bits;
    packet->tnt = payload & ~(1ull << bits);
    return bits != 0;
}

static int parse_psb(struct packet *packet, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < 16; i++) {
        if (i == size)
            return PT_PARSE_TRUNCATED;
        if (bytes[i] != (i % 2 == 0 ? 0x02 : 0x82))
            return PT_PARSE_UNKNOWN;
    }
    packet->kind = PT_PACKET_PSB;
    return 16;
}

static int parse_mnt(struct packet *packet, const uint8_t *bytes, size_t size)
{
    if (size >= 3 && bytes[2] != 0x88)
        return PT_PARSE_UNKNOWN;
    if (size < 11)
        return PT_PARSE_TRUNCATED;
    packet->kind = PT_PACKET_MNT;
    packet->payload = get_bytes(bytes + 3, 8);
    return 11;
}

/* Extended packets whose payload is made of several fields. */
static int parse_fields(struct packet *packet, const uint8_t *bytes, size_t size)
{
    int total = bytes[1] == 0xa3 || bytes[1] == 0x43 ? 8 : 7;
    if (size < (size_t)total)
        return PT_PARSE_TRUNCATED;
    uint64_t payload = get_bytes(bytes + 2, (size_t)total - 2);
    switch (bytes[1]) {
    case 0xa3:
        return take_tnt(packet, PT_PACKET_TNT_64, payload) ? total : PT_PARSE_UNKNOWN;
    case 0x43:
        packet->kind = PT_PACKET_PIP;
        packet->non_root = payload & 1;
        packet->cr3 = payload >> 1 << 5;
        return total;
    case 0x73:
        packet->kind = PT_PACKET_TMA;
        packet->tma_ctc = (uint16_t)payload;
        packet->tma_fc = payload >> 24 & 0x1ff;
        return total;
    default: /* 0xc8 */
        packet->kind = PT_PACKET_VMCS;
        packet->vmcs = payload << 12;
        return total;
    }
}

static int parse_extended(struct packet *packet, const uint8_t *bytes, size_t size)
{
    if (size < 2)
        return PT_PARSE_TRUNCATED;
    switch (bytes[1]) {
    case 0x82:
        return parse_psb(packet, bytes, size);
    case 0xc3:
        return parse_mnt(packet, bytes, size);
    case 0xa3:
    case 0x43:
    case 0x73:
    case 0xc8:
        return parse_fields(packet, bytes, size);
    default:
        return parse_fixed(packet, bytes, size);
    }
}

/* 64 bits are 5 and nine times 7, of which the last byte may fill only three. */
static int parse_cyc(struct packet *packet, const uint8_t *bytes, size_t size)
{
    uint64_t cycles = bytes[0] >> 3;
    bool more = (bytes[0] & 0x04) != 0;
    int n = 1;
    for (unsigned shift = 5; more; shift += 7, n++) {
        if ((size_t)n == size)
            return PT_PARSE_TRUNCATED;
        uint64_t bits = bytes[n] >> 1;
        if (shift > 61 || (shift == 61 && bits > 7))
            return PT_PARSE_UNKNOWN;
        cycles |= bits << shift;
        more = (bytes[n] & 0x01) != 0;
    }
    packet->kind = PT_PACKET_CYC;
    packet->cyc = cycles;
    return n;
}

static int parse_mode(struct packet *packet, const uint8_t *bytes, size_t size)
{
    if (size < 2)
        return PT_PARSE_TRUNCATED;
    switch (bytes[1] >> 5) {
    case 0:
        packet->kind = PT_PACKET_MODE_EXEC;
        packet->cs_l = bytes[1] & 1;
        packet->cs_d = bytes[1] >> 1 & 1;
        packet->iflag = bytes[1] >> 2 & 1;
        return 2;
    case 1:
        packet->kind = PT_PACKET_MODE_TSX;
        packet->in_tx = bytes[1] & 1;
        packet->tx_abort = bytes[1] >> 1 & 1;
        return 2;
    default:
        return PT_PARSE_UNKNOWN;
    }
}

static int parse_trig(struct packet *packet, const uint8_t *bytes, size_t size)
{
    const size_t total = size >= 2 && bytes[1] & 0x40 ? 5 : 3;
    if (size < total)
        return PT_PARSE_TRUNCATED;
    packet->kind = PT_PACKET_TRIG;
    packet->fup_follows = bytes[1] >> 7;
    packet->has_icnt = bytes[1] >> 6 & 1;
    packet->more = bytes[1] >> 5 & 1;
    packet->payload = bytes[2];
    packet->icnt = packet->has_icnt ? (uint16_t)get_bytes(bytes + 3, 2) : 0;
    return (int)total;
}

/* What its first byte does not tell. Apart, so that the quick way saves no registers. */
static __attribute__((noinline)) int parse_rare(struct packet *packet, const uint8_t *bytes, size_t size)
{
    *packet = (struct packet){0};
    int n = PT_PARSE_UNKNOWN;
    if (bytes[0] == 0x02)
        n = parse_extended(packet, bytes, size);
    else if (bytes[0] == 0x99)
        n = parse_mode(packet, bytes, size);
    else if (bytes[0] == 0xd9)
        n = parse_trig(packet, bytes, size);
    else if ((bytes[0] & 3) == 3)
        n = parse_cyc(packet, bytes, size);
    if (n > 0)
        packet->size = (uint8_t)n;
    return n;
}

static inline int parse_known(struct packet *packet, const struct packet *known, uint64_t behind)
{
    static const uint64_t masks[10] = {
        [2] = 0xff, [3] = 0xffff, [5] = 0xffffffff, [7] = 0xffffffffffff, [8] = 0xffffffffffffff, [9] = ~0ull};
    const int length = known->size;
    *packet = *known;
    packet->payload |= behind & masks[length];
    return length;
}

/* At the end of the bytes. */
static int parse_last(struct packet *packet, const uint8_t *bytes, size_t size)
{
    if (size == 0)
        return PT_PARSE_TRUNCATED;
    const struct packet *known = &packet_by_first_byte[bytes[0]];
    if (known->size == 0)
        return parse_rare(packet, bytes, size);
    return known->size > size ? PT_PARSE_TRUNCATED : parse_known(packet, known, get_bytes(bytes + 1, size - 1));
}

int packet_parse(struct packet *packet, const uint8_t *bytes, size_t size)
{
    uint64_t behind;
    if (size <= sizeof(behind))
        return parse_last(packet, bytes, size);
    const struct packet *known = &packet_by_first_byte[bytes[0]];
    if (known->size == 1) {
        *packet = *known;
        return 1; /* a constant: the CPU goes on to the next packet before it has read this one */
    }
    if (known->size == 0)
        return parse_rare(packet, bytes, size);
    memcpy(&behind, bytes + 1, sizeof(behind));
    return parse_known(packet, known, behind);
}

bool pt_ip_expand(uint64_t *ip, enum pt_ip_bytes ip_bytes, uint64_t payload, uint64_t last_ip)
{
    uint64_t mask;
    switch (ip_bytes) {
    case PT_IP_UPDATE_16:
        mask = 0xffff;
        break;
    case PT_IP_UPDATE_32:
        mask = 0xffffffff;
        break;
    case PT_IP_UPDATE_48:
        mask = 0xffffffffffff;
        break;
    case PT_IP_SEXT_48:
        payload &= 0xffffffffffff;
        *ip = payload >> 47 ? payload | 0xffff000000000000 : payload;
        return true;
    case PT_IP_FULL_64:
        *ip = payload;
        return true;
    default:
        return false;
    }
    *ip = (last_ip & ~mask) | (payload & mask);
    return true;
}
