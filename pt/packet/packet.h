/*
 * Intel PT packets: one description of a packet, an encoder and a parser that are each other's inverse.
 *
 * Core. Source: Intel SDM Vol. 3C, "Intel Processor Trace", section "Packet Definitions" (36.4.2 in the edition that
 * docs/sources.md pins) and Table "Packet Generation under Different Enable Conditions". CFE, EVD, TRIG and the IF bit
 * of MODE.Exec are of later editions: "Control Flow Event (CFE) Packet", "Event Data (EVD) Packet", "TRIG Packet".
 */
#ifndef PT_PACKET_PACKET_H
#define PT_PACKET_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum packet_kind {
    PT_PACKET_PAD,
    PT_PACKET_TNT_8,  /* short TNT: 1 to 6 bits */
    PT_PACKET_TNT_64, /* long TNT: 1 to 47 bits */
    PT_PACKET_TIP,
    PT_PACKET_TIP_PGE,
    PT_PACKET_TIP_PGD,
    PT_PACKET_FUP,
    PT_PACKET_PIP,
    PT_PACKET_MODE_EXEC,
    PT_PACKET_MODE_TSX,
    PT_PACKET_TRACESTOP,
    PT_PACKET_CBR,
    PT_PACKET_TSC,
    PT_PACKET_MTC,
    PT_PACKET_TMA,
    PT_PACKET_CYC,
    PT_PACKET_VMCS,
    PT_PACKET_OVF,
    PT_PACKET_PSB,
    PT_PACKET_PSBEND,
    PT_PACKET_MNT,
    PT_PACKET_PTW,
    PT_PACKET_EXSTOP,
    PT_PACKET_MWAIT,
    PT_PACKET_PWRE,
    PT_PACKET_PWRX,
    PT_PACKET_CFE,  /* Event Trace: Control Flow Event */
    PT_PACKET_EVD,  /* Event Trace: Event Data */
    PT_PACKET_TRIG, /* Trigger Tracing */
    PT_PACKET_NR_KINDS
};

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
    uint8_t size;      /* bytes on the wire; set by the parser, ignored by the encoder */
    uint8_t ip_bytes;  /* TIP*, FUP: enum pt_ip_bytes */
    uint8_t tnt_bits;  /* TNT: number of bits, oldest in the highest */
    uint8_t ptw_bytes; /* PTW: 4 or 8 */
    union {
        uint64_t ip;      /* TIP*, FUP: the payload as it stands on the wire, not yet expanded */
        uint64_t tnt;     /* TNT: the oldest bit is bit tnt_bits - 1 */
        uint64_t cr3;     /* PIP: CR3[51:5] in place, low five bits 0 */
        uint64_t tsc;     /* TSC: 56 bits */
        uint64_t cyc;     /* CYC: cycle count */
        uint64_t vmcs;    /* VMCS: the 4 KiB-aligned VMCS pointer, bits 51:12 in place */
        uint64_t payload; /* MTC: CTC; CBR: ratio; MNT, PTW, MWAIT, PWRE, PWRX, EVD: payload as on the wire;
                             CFE: vector; TRIG: a bit for each trigger that fired */
    };
    uint16_t tma_ctc;       /* TMA */
    uint16_t tma_fc;        /* TMA: 9 bits */
    uint16_t icnt;          /* TRIG: instructions since the last IP */
    bool non_root;          /* PIP.NR */
    bool cs_l, cs_d, iflag; /* MODE.Exec: CS.L and IA32_EFER.LMA, CS.D, IF where the CPU reports it */
    bool in_tx, tx_abort;   /* MODE.TSX */
    bool fup_follows;       /* PTW.IP, EXSTOP.IP, CFE.IP, TRIG.IP: a FUP that belongs to no TIP */
    uint8_t event_type;     /* CFE: 5 bits, EVD: 6 bits */
    bool has_icnt, more;    /* TRIG.ICNTV: icnt is there; TRIG.MULT: triggers fired that no packet tells */
};

enum pt_parse_error {
    PT_PARSE_TRUNCATED = -1, /* the bytes end inside the packet */
    PT_PARSE_UNKNOWN = -2    /* no packet starts with these bytes */
};

/* Write the packet at out, which has room for PT_PACKET_MAX_SIZE bytes. Returns the packet's size in bytes; 0: a field
 * is out of range (IPBytes, number of TNT bits, ptw_bytes). */
size_t packet_encode(uint8_t *out, const struct packet *packet);

/* Read the packet that starts at bytes. Returns its size in bytes, or an enum pt_parse_error. */
int packet_parse(struct packet *packet, const uint8_t *bytes, size_t size);

/* The smallest IPBytes form with which ip can be told to a decoder whose last IP is last_ip, and its payload. Where two
 * forms are of one size, the sign extension is taken. */
enum pt_ip_bytes pt_ip_compress(uint64_t *payload, uint64_t ip, uint64_t last_ip);

/* The IP that a payload stands for. false: the payload is suppressed, *ip is left alone. */
bool pt_ip_expand(uint64_t *ip, enum pt_ip_bytes ip_bytes, uint64_t payload, uint64_t last_ip);

/* The packet's name in the manual's spelling, for messages. */
const char *packet_name(enum packet_kind kind);

#ifdef __cplusplus
}
#endif

#endif
