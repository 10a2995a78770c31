/* Kind: core */
/*
 * The packet encoder: the inverse of pt/packet/parse.c, byte for byte. Soft PT, the PT model and the unit tests use it.
 *
 * Source: SDM "Packet Definitions" (36.4.2), one table per packet.
 */
#include "pt/packet/layout.h"

/* Write the low nr_bytes of value, lowest first. Returns nr_bytes. */
static size_t put_bytes(uint8_t *out, uint64_t value, size_t nr_bytes)
{
    for (size_t i = 0; i < nr_bytes; i++)
        out[i] = (uint8_t)(value >> (8 * i));
    return nr_bytes;
}

/* 36.4.2.1: a stop bit follows the oldest branch, at the next higher bit. */
static size_t put_tnt(uint8_t *out, const struct packet *packet)
{
    unsigned max_bits = packet->kind == PT_PACKET_TNT_8 ? 6 : 47;
    if (packet->tnt_bits == 0 || packet->tnt_bits > max_bits)
        return 0;
    uint64_t stop = 1ull << packet->tnt_bits;
    uint64_t bits = stop | (packet->tnt & (stop - 1));
    if (packet->kind == PT_PACKET_TNT_8)
        return put_bytes(out, bits << 1, 1);
    put_bytes(out, 0xa302, 2);
    return 2 + put_bytes(out + 2, bits, 6);
}

/* 36.4.2.2 and 36.4.2.4: IPBytes in bits 7:5 of the header. */
static size_t put_ip(uint8_t *out, const struct packet *packet)
{
    static const uint8_t opcodes[] = {
        [PT_PACKET_TIP] = 0x0d, [PT_PACKET_TIP_PGE] = 0x11, [PT_PACKET_TIP_PGD] = 0x01, [PT_PACKET_FUP] = 0x1d};
    static const uint8_t payload_bytes[8] = {0, 2, 4, 6, 6, 0, 8, 0};
    if (packet->ip_bytes > PT_IP_FULL_64 || packet->ip_bytes == 5)
        return 0;
    out[0] = (uint8_t)(opcodes[packet->kind] | packet->ip_bytes << 5);
    return 1 + put_bytes(out + 1, packet->ip, payload_bytes[packet->ip_bytes]);
}

/* 36.4.2.14: 5 bits in the header, 7 in each byte that follows; bit 2 of the header and bit 0 of the others say that
 * one more follows. */
static size_t put_cyc(uint8_t *out, uint64_t cycles)
{
    size_t n = 1;
    out[0] = (uint8_t)(0x03 | (cycles & 0x1f) << 3);
    cycles >>= 5;
    if (cycles != 0)
        out[0] |= 0x04;
    while (cycles != 0) {
        out[n] = (uint8_t)((cycles & 0x7f) << 1);
        cycles >>= 7;
        if (cycles != 0)
            out[n] |= 0x01;
        n++;
    }
    return n;
}

/* ID in bits 7:3 of the header. */
static size_t put_bip(uint8_t *out, const struct packet *packet)
{
    if (packet->event_type > 31 || (packet->ptw_bytes != 4 && packet->ptw_bytes != 8))
        return 0;
    out[0] = (uint8_t)(0x04 | packet->event_type << 3);
    return 1 + put_bytes(out + 1, packet->payload, packet->ptw_bytes);
}

static size_t put_psb(uint8_t *out)
{
    for (size_t i = 0; i < 16; i += 2)
        put_bytes(out + i, 0x8202, 2);
    return 16;
}

/* --- packets with a layout ------------------------------------------------------------------------------------------
 */

static uint64_t member_of(const struct packet *packet, const struct packet_field *field)
{
    uint64_t value = 0;
    __builtin_memcpy(&value, (const uint8_t *)packet + field->offset, field->bytes);
    return value >> field->shift;
}

/* The packet's bytes are zero where no other field is. */
static void put_field(uint8_t *out, const struct packet_field *field, uint64_t value)
{
    if (field->width < 64)
        value &= (1ull << field->width) - 1;
    value <<= field->bit % 8;
    for (unsigned i = field->bit / 8; value != 0; i++, value >>= 8)
        out[i] |= (uint8_t)value;
}

/* false: this form of the packet cannot hold the values. */
static bool put_form(uint8_t *out, const struct packet *packet, const struct packet_layout *layout)
{
    uint8_t bytes[PT_PACKET_MAX_SIZE] = {0};
    if (layout->ptw_bytes != 0 && layout->ptw_bytes != packet->ptw_bytes)
        return false;
    put_bytes(bytes, layout->header, layout->header_bytes);
    for (const struct packet_field *field = layout->fields; field < layout->fields + PACKET_MAX_FIELDS; field++)
        if (field->width != 0)
            put_field(bytes, field, member_of(packet, field));
    const uint32_t start = bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16;
    if ((start & layout->mask) != layout->header)
        return false;
    __builtin_memcpy(out, bytes, layout->size);
    return true;
}

static size_t put_layout(uint8_t *out, const struct packet *packet)
{
    for (const struct packet_layout *layout = packet_layouts; layout < packet_layouts + NR_PACKET_LAYOUTS; layout++)
        if (layout->kind == packet->kind && put_form(out, packet, layout))
            return layout->size;
    return 0;
}

size_t packet_encode(uint8_t *out, const struct packet *packet)
{
    switch (packet->kind) {
    case PT_PACKET_TNT_8:
    case PT_PACKET_TNT_64:
        return put_tnt(out, packet);
    case PT_PACKET_TIP:
    case PT_PACKET_TIP_PGE:
    case PT_PACKET_TIP_PGD:
    case PT_PACKET_FUP:
        return put_ip(out, packet);
    case PT_PACKET_CYC:
        return put_cyc(out, packet->cyc);
    case PT_PACKET_PSB:
        return put_psb(out);
    case PT_PACKET_BIP:
        return put_bip(out, packet);
    default:
        return put_layout(out, packet);
    }
}

enum pt_ip_bytes pt_ip_compress(uint64_t *payload, uint64_t ip, uint64_t last_ip)
{
    uint64_t changed = ip ^ last_ip;
    uint64_t low_48 = ip & 0xffffffffffffull;

    if (changed >> 16 == 0) {
        *payload = ip & 0xffff;
        return PT_IP_UPDATE_16;
    }
    if (changed >> 32 == 0) {
        *payload = ip & 0xffffffff;
        return PT_IP_UPDATE_32;
    }
    if (ip >> 47 == 0 || ip >> 47 == 0x1ffff) {
        *payload = low_48;
        return PT_IP_SEXT_48;
    }
    if (changed >> 48 == 0) {
        *payload = low_48;
        return PT_IP_UPDATE_48;
    }
    *payload = ip;
    return PT_IP_FULL_64;
}
