/*
 * Intel PT packets: a packet as a struct, and an encoder and a parser that are each other's inverse. The bytes of most
 * packets are in one table, pt/packet/layout.h. docs/extending.md says how to add a packet.
 *
 * Source: Intel SDM Vol. 3C, "Intel Processor Trace", section "Packet Definitions" (36.4.2 in the edition that
 * docs/sources.md pins) and Table "Packet Generation under Different Enable Conditions". CFE, EVD, TRIG and the IF bit
 * of MODE.Exec are from later editions: "Control Flow Event (CFE) Packet", "Event Data (EVD) Packet", "TRIG Packet",
 * and so are the packets of "PEBS Output to Intel PT": "Block Begin Packet (BBP)", "Block Item Packet (BIP)", "Block
 * End Packet (BEP)".
 */
#ifndef PT_PACKET_PACKET_H
#define PT_PACKET_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Every kind of packet: its name in the manual, its name in dumps (ptdump's), and how a dump shows its payload: not at
 * all, in hexadecimal, or by a function of its own in decode/report/dump_line.c. */
enum packet_dump { PACKET_DUMP_NOTHING, PACKET_DUMP_HEX, PACKET_DUMP_OWN };
/* clang-format off */
#define PT_PACKET_KINDS(X)                                                                                             \
    X(PAD, "PAD", "pad", NOTHING)                                                                                      \
    X(TNT_8, "TNT", "tnt.8", OWN)               /* short TNT: 1 to 6 bits */                                           \
    X(TNT_64, "TNT64", "tnt.64", OWN)           /* long TNT: 1 to 47 bits */                                           \
    X(TIP, "TIP", "tip", OWN)                                                                                          \
    X(TIP_PGE, "TIP.PGE", "tip.pge", OWN)                                                                              \
    X(TIP_PGD, "TIP.PGD", "tip.pgd", OWN)                                                                              \
    X(FUP, "FUP", "fup", OWN)                                                                                          \
    X(PIP, "PIP", "pip", OWN)                                                                                          \
    X(MODE_EXEC, "MODE.Exec", "mode.exec", OWN)                                                                        \
    X(MODE_TSX, "MODE.TSX", "mode.tsx", OWN)                                                                           \
    X(TRACESTOP, "TraceStop", "stop", NOTHING)                                                                         \
    X(CBR, "CBR", "cbr", HEX)                                                                                          \
    X(TSC, "TSC", "tsc", HEX)                                                                                          \
    X(MTC, "MTC", "mtc", HEX)                                                                                          \
    X(TMA, "TMA", "tma", OWN)                                                                                          \
    X(CYC, "CYC", "cyc", HEX)                                                                                          \
    X(VMCS, "VMCS", "vmcs", HEX)                                                                                       \
    X(OVF, "OVF", "ovf", NOTHING)                                                                                      \
    X(PSB, "PSB", "psb", NOTHING)                                                                                      \
    X(PSBEND, "PSBEND", "psbend", NOTHING)                                                                             \
    X(MNT, "MNT", "mnt", HEX)                                                                                          \
    X(PTW, "PTW", "ptw", OWN)                                                                                          \
    X(EXSTOP, "EXSTOP", "exstop", OWN)                                                                                 \
    X(MWAIT, "MWAIT", "mwait", OWN)                                                                                    \
    X(PWRE, "PWRE", "pwre", OWN)                                                                                       \
    X(PWRX, "PWRX", "pwrx", OWN)                                                                                       \
    X(CFE, "CFE", "cfe", OWN)                   /* Event Trace: Control Flow Event */                                  \
    X(EVD, "EVD", "evd", OWN)                   /* Event Trace: Event Data */                                          \
    X(TRIG, "TRIG", "trig", OWN)                /* Trigger Tracing */                                                  \
    X(BBP, "BBP", "bbp", OWN)                   /* PEBS output to Intel PT: a block of items begins */                 \
    X(BIP, "BIP", "bip", OWN)                   /* an item, only between BBP and BEP */                                \
    X(BEP, "BEP", "bep", OWN)                   /* the block ends */
/* clang-format on */

#define PT_PACKET_KIND(kind, name, dump_name, dump) PT_PACKET_##kind,
enum packet_kind { PT_PACKET_KINDS(PT_PACKET_KIND) PT_PACKET_NR_KINDS };
#undef PT_PACKET_KIND

/* IPBytes, the compression of an IP payload: Table "FUP/TIP IP Reconstruction". */
enum pt_ip_bytes {
    PT_IP_SUPPRESSED = 0,
    PT_IP_UPDATE_16 = 1,
    PT_IP_UPDATE_32 = 2,
    PT_IP_SEXT_48 = 3,
    PT_IP_UPDATE_48 = 4,
    PT_IP_FULL_64 = 6
};

/* The longest packet is PSB. */
#define PT_PACKET_MAX_SIZE 16u

struct packet {
    enum packet_kind kind;
    uint8_t size;      /* bytes in the trace; set by the parser, ignored by the encoder */
    uint8_t ip_bytes;  /* TIP*, FUP: enum pt_ip_bytes */
    uint8_t tnt_bits;  /* TNT: number of bits, oldest in the highest */
    uint8_t ptw_bytes; /* PTW, BIP: size of the payload, BBP: of the payloads in the block: 4 or 8 */
    union {
        uint64_t ip;      /* TIP*, FUP: the payload as in the trace, not expanded */
        uint64_t tnt;     /* TNT: the oldest bit is bit tnt_bits - 1 */
        uint64_t cr3;     /* PIP: CR3[51:5] in place, low five bits 0 */
        uint64_t tsc;     /* TSC: 56 bits */
        uint64_t cyc;     /* CYC: cycle count */
        uint64_t vmcs;    /* VMCS: the 4 KiB-aligned VMCS pointer, bits 51:12 in place */
        uint64_t payload; /* MTC: CTC; CBR: ratio; MNT, PTW, MWAIT, PWRE, PWRX, EVD, BIP: payload as in the trace;
                             CFE: vector; TRIG: a bit for each trigger that fired */
    };
    uint16_t tma_ctc;       /* TMA */
    uint16_t tma_fc;        /* TMA: 9 bits */
    uint16_t icnt;          /* TRIG: instructions since the last IP */
    bool non_root;          /* PIP.NR */
    bool cs_l, cs_d, iflag; /* MODE.Exec: CS.L and IA32_EFER.LMA, CS.D, IF where the CPU reports it */
    bool in_tx, tx_abort;   /* MODE.TSX */
    bool fup_follows;       /* PTW.IP, EXSTOP.IP, CFE.IP, TRIG.IP, BEP.IP: a FUP follows that belongs to no TIP */
    uint8_t event_type;     /* CFE: 5 bits, EVD: 6 bits; BBP: type of the block, BIP: ID of the item, 5 bits */
    bool has_icnt, more;    /* TRIG.ICNTV: icnt is valid; TRIG.MULT: other triggers fired without a packet */
};

enum pt_parse_error {
    PT_PARSE_TRUNCATED = -1, /* the bytes end inside the packet */
    PT_PARSE_UNKNOWN = -2    /* no packet starts with these bytes */
};

/* Write the packet at out, which has room for PT_PACKET_MAX_SIZE bytes. Returns the packet's size in bytes; 0 if a
 * field is out of range (IPBytes, number of TNT bits, ptw_bytes). */
size_t packet_encode(uint8_t *out, const struct packet *packet);

/* Read the packet that starts at bytes, outside a block. Returns its size in bytes, or an enum pt_parse_error. */
int packet_parse(struct packet *packet, const uint8_t *bytes, size_t size);

/* Between BBP and BEP, the first byte of a BIP looks like a TNT packet: only the packets before it show which it is. */
enum packet_block { PACKET_BLOCK_NONE, PACKET_BLOCK_ITEMS_4, PACKET_BLOCK_ITEMS_8 };

/* Read a packet in a block: a BIP, or any other. */
int packet_parse_block(struct packet *packet, const uint8_t *bytes, size_t size, enum packet_block block);

/* Is the next packet in a block? block: was this packet? */
enum packet_block packet_block_after(const struct packet *packet, enum packet_block block);

/* Read a packet that follows others. *block: PACKET_BLOCK_NONE at a PSB; updated for the packet after this one. */
static inline int packet_parse_next(struct packet *packet, const uint8_t *bytes, size_t size, enum packet_block *block)
{
    const int length = __builtin_expect(*block == PACKET_BLOCK_NONE, 1)
                           ? packet_parse(packet, bytes, size)
                           : packet_parse_block(packet, bytes, size, *block);
    if (length > 0 && (*block != PACKET_BLOCK_NONE || packet->kind == PT_PACKET_BBP))
        *block = packet_block_after(packet, *block);
    return length;
}

/* The smallest IPBytes form, and its payload, from which a decoder whose last IP is last_ip can reconstruct ip. Of two
 * forms of the same size, the sign extension is chosen. */
enum pt_ip_bytes pt_ip_compress(uint64_t *payload, uint64_t ip, uint64_t last_ip);

/* The IP that a payload encodes. false: the payload is suppressed, and *ip is unchanged. */
bool pt_ip_expand(uint64_t *ip, enum pt_ip_bytes ip_bytes, uint64_t payload, uint64_t last_ip);

/* pt/packet/names.c: the packet's name in the manual's spelling, for messages; its name in dumps; how dumps show its
 * payload. */
const char *packet_name(enum packet_kind kind);
const char *packet_dump_name(enum packet_kind kind);
enum packet_dump packet_dump(enum packet_kind kind);

#ifdef __cplusplus
}
#endif

#endif
