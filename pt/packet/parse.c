/* Kind: core */
/*
 * The packet parser: the inverse of pt/packet/encode.c. It parses one packet at a time, from arbitrary bytes.
 *
 * Source: SDM "Packet Definitions" (36.4.2). Reserved bits of a payload are ignored, as the section requires; bytes
 * with which no packet begins are PT_PARSE_UNKNOWN.
 */
#include <string.h>

#include "pt/packet/first_byte.h"
#include "pt/packet/layout.h"

static uint64_t get_bytes(const uint8_t *bytes, size_t nr_bytes)
{
    uint64_t value = 0;
    for (size_t i = 0; i < nr_bytes; i++)
        value |= (uint64_t)bytes[i] << (8 * i);
    return value;
}

/* The stop bit is the highest set bit; the oldest branch is the bit below it. */
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

static int parse_tnt_64(struct packet *packet, const uint8_t *bytes, size_t size)
{
    if (size < 8)
        return PT_PARSE_TRUNCATED;
    return take_tnt(packet, PT_PACKET_TNT_64, get_bytes(bytes + 2, 6)) ? 8 : PT_PARSE_UNKNOWN;
}

/* 64 bits are 5 in the first byte and 7 in each of nine others, of which the last has only three significant ones. */
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

/* The packet is complete. */
static void get_field(struct packet *packet, const uint8_t *bytes, size_t size, const struct packet_field *field)
{
    const size_t first = field->bit / 8, nr = size - first < 8 ? size - first : 8;
    uint64_t value = get_bytes(bytes + first, nr) >> field->bit % 8;

    if (field->width < 64)
        value &= (1ull << field->width) - 1;
    value <<= field->shift;
    memcpy((uint8_t *)packet + field->offset, &value, field->bytes);
}

/* Reserved bits are ignored. */
static int parse_layout(struct packet *packet, const uint8_t *bytes, size_t size)
{
    const uint32_t start = (uint32_t)get_bytes(bytes, size < 3 ? size : 3);
    const uint32_t known = size < 3 ? (1u << 8 * size) - 1 : 0xffffff; /* bits of start that are there */

    for (const struct packet_layout *layout = packet_layouts; layout < packet_layouts + NR_PACKET_LAYOUTS; layout++) {
        if (((start ^ layout->header) & layout->mask & known) != 0)
            continue;
        if (size < layout->size)
            return PT_PARSE_TRUNCATED;
        packet->kind = (enum packet_kind)layout->kind;
        packet->ptw_bytes = layout->ptw_bytes;
        for (const struct packet_field *field = layout->fields; field->width != 0; field++) {
            get_field(packet, bytes, layout->size, field);
            if (field == layout->fields + PACKET_MAX_FIELDS - 1)
                break;
        }
        return layout->size;
    }
    return PT_PARSE_UNKNOWN;
}

/* Packets that the first byte does not determine. Not inlined, so that the fast path saves no registers. */
static __attribute__((noinline)) int parse_rare(struct packet *packet, const uint8_t *bytes, size_t size)
{
    int n;

    *packet = (struct packet){0};
    if ((bytes[0] & 3) == 3)
        n = parse_cyc(packet, bytes, size);
    else if (bytes[0] == 0x02 && size >= 2 && bytes[1] == 0x82)
        n = parse_psb(packet, bytes, size);
    else if (bytes[0] == 0x02 && size >= 2 && bytes[1] == 0xa3)
        n = parse_tnt_64(packet, bytes, size);
    else
        n = parse_layout(packet, bytes, size);
    if (n > 0)
        packet->size = (uint8_t)n;
    return n;
}

static inline int parse_known(struct packet *packet, const struct packet *known, uint64_t following)
{
    static const uint64_t masks[10] = {
        [2] = 0xff, [3] = 0xffff, [5] = 0xffffffff, [7] = 0xffffffffffff, [8] = 0xffffffffffffff, [9] = ~0ull};
    const int length = known->size;
    *packet = *known;
    packet->payload |= following & masks[length];
    return length;
}

/* Near the end of the bytes, where 8 more cannot be read. */
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
    uint64_t following;
    if (size <= sizeof(following))
        return parse_last(packet, bytes, size);
    const struct packet *known = &packet_by_first_byte[bytes[0]];
    if (known->size == 1) {
        *packet = *known;
        return 1; /* a constant: the CPU can start on the next packet before it has loaded this one */
    }
    if (known->size == 0)
        return parse_rare(packet, bytes, size);
    memcpy(&following, bytes + 1, sizeof(following));
    return parse_known(packet, known, following);
}

/* ID in bits 7:3 of the header. */
int packet_parse_block(struct packet *packet, const uint8_t *bytes, size_t size, enum packet_block block)
{
    const uint8_t item_bits = 7, item = 4;
    const size_t payload = block == PACKET_BLOCK_ITEMS_4 ? 4 : 8;
    if (block == PACKET_BLOCK_NONE || size == 0 || (bytes[0] & item_bits) != item)
        return packet_parse(packet, bytes, size);
    if (size < 1 + payload)
        return PT_PARSE_TRUNCATED;
    *packet = (struct packet){.kind = PT_PACKET_BIP,
                              .size = (uint8_t)(1 + payload),
                              .ptw_bytes = (uint8_t)payload,
                              .payload = get_bytes(bytes + 1, payload),
                              .event_type = bytes[0] >> 3};
    return packet->size;
}

/* Packets that report no branch and no change of context may occur within a block. Where another one follows, the BEP
 * was lost. */
enum packet_block packet_block_after(const struct packet *packet, enum packet_block block)
{
    switch (packet->kind) {
    case PT_PACKET_BBP:
        return packet->ptw_bytes == 4 ? PACKET_BLOCK_ITEMS_4 : PACKET_BLOCK_ITEMS_8;
    case PT_PACKET_BIP:
    case PT_PACKET_PAD:
    case PT_PACKET_TSC:
    case PT_PACKET_TMA:
    case PT_PACKET_MTC:
    case PT_PACKET_CYC:
    case PT_PACKET_CBR:
    case PT_PACKET_MNT:
    case PT_PACKET_FUP:
    case PT_PACKET_EXSTOP:
    case PT_PACKET_PWRE:
    case PT_PACKET_PWRX:
        return block;
    default:
        return PACKET_BLOCK_NONE;
    }
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
