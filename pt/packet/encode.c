/* Kind: core */
/*
 * The packet encoder: the inverse of pt/packet/parse.c, byte for byte. The PT model and the unit tests write with it.
 *
 * Core. Source: SDM "Packet Definitions" (36.4.2), one table per packet; section numbers stand at each case.
 */
#include "pt/packet/packet.h"

/* Write the low nr_bytes of value, lowest first. Returns nr_bytes. */
static size_t put_bytes(uint8_t *out, uint64_t value, size_t nr_bytes)
{
    for (size_t i = 0; i < nr_bytes; i++)
        out[i] = (uint8_t)(value >> (8 * i));
    return nr_bytes;
}

/* Most packets: the extension byte 02H, an opcode byte, a payload. */
static size_t put_extended(uint8_t *out, uint8_t opcode, uint64_t payload, size_t nr_bytes)
{
    out[0] = 0x02;
    out[1] = opcode;
    return 2 + put_bytes(out + 2, payload, nr_bytes);
}

/* 36.4.2.1: a stop bit stands above the oldest branch. */
static size_t put_tnt(uint8_t *out, const struct packet *packet)
{
    unsigned max_bits = packet->kind == PT_PACKET_TNT_8 ? 6 : 47;
    if (packet->tnt_bits == 0 || packet->tnt_bits > max_bits)
        return 0;
    uint64_t stop = 1ull << packet->tnt_bits;
    uint64_t bits = stop | (packet->tnt & (stop - 1));
    if (packet->kind == PT_PACKET_TNT_8)
        return put_bytes(out, bits << 1, 1);
    return put_extended(out, 0xa3, bits, 6);
}

/* 36.4.2.2 and 36.4.2.4: IPBytes in bits 7:5 of the header. */
static size_t put_ip(uint8_t *out, uint8_t opcode, const struct packet *packet)
{
    static const uint8_t payload_bytes[8] = {0, 2, 4, 6, 6, 0, 8, 0};
    if (packet->ip_bytes > PT_IP_FULL_64 || packet->ip_bytes == 5)
        return 0;
    out[0] = (uint8_t)(opcode | packet->ip_bytes << 5);
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

static size_t put_psb(uint8_t *out)
{
    for (size_t i = 0; i < 16; i += 2)
        put_extended(out + i, 0x82, 0, 0);
    return 16;
}

static size_t put_mode(uint8_t *out, const struct packet *packet)
{
    out[0] = 0x99;
    if (packet->kind == PT_PACKET_MODE_TSX)
        out[1] = (uint8_t)(0x20 | (packet->in_tx ? 1 : 0) | (packet->tx_abort ? 2 : 0));
    else
        out[1] = (uint8_t)((packet->cs_l ? 1 : 0) | (packet->cs_d ? 2 : 0) | (packet->iflag ? 4 : 0));
    return 2;
}

/* 36.4.2.13: CTC in the first two bytes, one byte reserved, FastCounter in nine bits. */
static size_t put_tma(uint8_t *out, const struct packet *packet)
{
    return put_extended(out, 0x73, packet->tma_ctc | (uint64_t)(packet->tma_fc & 0x1ff) << 24, 5);
}

/* 36.4.2.22: PayloadBytes in bits 6:5, the IP bit in bit 7. */
static size_t put_ptw(uint8_t *out, const struct packet *packet)
{
    if (packet->ptw_bytes != 4 && packet->ptw_bytes != 8)
        return 0;
    uint8_t opcode = (uint8_t)(0x12 | (packet->ptw_bytes == 8 ? 0x20 : 0) | (packet->fup_follows ? 0x80 : 0));
    return put_extended(out, opcode, packet->payload, packet->ptw_bytes);
}

static size_t put_mnt(uint8_t *out, uint64_t payload)
{
    put_extended(out, 0xc3, 0x88, 1);
    return 3 + put_bytes(out + 3, payload, 8);
}

/* Event Trace: the type below the IP bit, and a vector or data. */
static size_t put_event(uint8_t *out, const struct packet *packet)
{
    const bool cfe = packet->kind == PT_PACKET_CFE;
    const uint8_t type = packet->event_type & (cfe ? 0x1f : 0x3f);
    put_extended(out, cfe ? 0x13 : 0x53, type | (cfe && packet->fup_follows ? 0x80 : 0), 1);
    return 3 + put_bytes(out + 3, packet->payload, cfe ? 1 : 8);
}

static size_t put_trig(uint8_t *out, const struct packet *packet)
{
    out[0] = 0xd9;
    out[1] = (uint8_t)((packet->fup_follows ? 0x80 : 0) | (packet->has_icnt ? 0x40 : 0) | (packet->more ? 0x20 : 0));
    out[2] = (uint8_t)packet->payload;
    return packet->has_icnt ? 3 + put_bytes(out + 3, packet->icnt, 2) : 3;
}

size_t packet_encode(uint8_t *out, const struct packet *packet)
{
    switch (packet->kind) {
    case PT_PACKET_PAD:
        return put_bytes(out, 0, 1);
    case PT_PACKET_TNT_8:
    case PT_PACKET_TNT_64:
        return put_tnt(out, packet);
    case PT_PACKET_TIP:
        return put_ip(out, 0x0d, packet);
    case PT_PACKET_TIP_PGE:
        return put_ip(out, 0x11, packet);
    case PT_PACKET_TIP_PGD:
        return put_ip(out, 0x01, packet);
    case PT_PACKET_FUP:
        return put_ip(out, 0x1d, packet);
    case PT_PACKET_PIP: /* CR3[51:5] above the NR bit */
        return put_extended(out, 0x43, (packet->cr3 >> 5 & 0x7fffffffffffull) << 1 | (packet->non_root ? 1 : 0), 6);
    case PT_PACKET_MODE_EXEC:
    case PT_PACKET_MODE_TSX:
        return put_mode(out, packet);
    case PT_PACKET_TRACESTOP:
        return put_extended(out, 0x83, 0, 0);
    case PT_PACKET_CBR:
        return put_extended(out, 0x03, packet->payload & 0xff, 2);
    case PT_PACKET_TSC:
        out[0] = 0x19;
        return 1 + put_bytes(out + 1, packet->tsc, 7);
    case PT_PACKET_MTC:
        out[0] = 0x59;
        return 1 + put_bytes(out + 1, packet->payload, 1);
    case PT_PACKET_TMA:
        return put_tma(out, packet);
    case PT_PACKET_CYC:
        return put_cyc(out, packet->cyc);
    case PT_PACKET_VMCS: /* VMCS pointer [51:12] */
        return put_extended(out, 0xc8, packet->vmcs >> 12, 5);
    case PT_PACKET_OVF:
        return put_extended(out, 0xf3, 0, 0);
    case PT_PACKET_PSB:
        return put_psb(out);
    case PT_PACKET_PSBEND:
        return put_extended(out, 0x23, 0, 0);
    case PT_PACKET_MNT:
        return put_mnt(out, packet->payload);
    case PT_PACKET_PTW:
        return put_ptw(out, packet);
    case PT_PACKET_EXSTOP:
        return put_extended(out, packet->fup_follows ? 0xe2 : 0x62, 0, 0);
    case PT_PACKET_MWAIT:
        return put_extended(out, 0xc2, packet->payload, 8);
    case PT_PACKET_PWRE:
        return put_extended(out, 0x22, packet->payload, 2);
    case PT_PACKET_PWRX:
        return put_extended(out, 0xa2, packet->payload, 5);
    case PT_PACKET_CFE:
    case PT_PACKET_EVD:
        return put_event(out, packet);
    case PT_PACKET_TRIG:
        return put_trig(out, packet);
    case PT_PACKET_NR_KINDS:
        break;
    }
    return 0;
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

const char *packet_name(enum packet_kind kind)
{
    static const char *const names[PT_PACKET_NR_KINDS] = {
        [PT_PACKET_PAD] = "PAD",
        [PT_PACKET_TNT_8] = "TNT",
        [PT_PACKET_TNT_64] = "TNT64",
        [PT_PACKET_TIP] = "TIP",
        [PT_PACKET_TIP_PGE] = "TIP.PGE",
        [PT_PACKET_TIP_PGD] = "TIP.PGD",
        [PT_PACKET_FUP] = "FUP",
        [PT_PACKET_PIP] = "PIP",
        [PT_PACKET_MODE_EXEC] = "MODE.Exec",
        [PT_PACKET_MODE_TSX] = "MODE.TSX",
        [PT_PACKET_TRACESTOP] = "TraceStop",
        [PT_PACKET_CBR] = "CBR",
        [PT_PACKET_TSC] = "TSC",
        [PT_PACKET_MTC] = "MTC",
        [PT_PACKET_TMA] = "TMA",
        [PT_PACKET_CYC] = "CYC",
        [PT_PACKET_VMCS] = "VMCS",
        [PT_PACKET_OVF] = "OVF",
        [PT_PACKET_PSB] = "PSB",
        [PT_PACKET_PSBEND] = "PSBEND",
        [PT_PACKET_MNT] = "MNT",
        [PT_PACKET_PTW] = "PTW",
        [PT_PACKET_EXSTOP] = "EXSTOP",
        [PT_PACKET_MWAIT] = "MWAIT",
        [PT_PACKET_PWRE] = "PWRE",
        [PT_PACKET_PWRX] = "PWRX",
        [PT_PACKET_CFE] = "CFE",
        [PT_PACKET_EVD] = "EVD",
        [PT_PACKET_TRIG] = "TRIG",
    };
    return (unsigned)kind < PT_PACKET_NR_KINDS ? names[kind] : "unknown";
}
