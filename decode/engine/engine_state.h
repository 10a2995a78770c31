/*
 * Internal to the flow engine: the state of one thread, which its files share. Each file calls only files below it:
 *
 *   engine.c                    begins and ends a stretch
 *   packets.c                   reads the trace, packet by packet
 *   errata_flow.c, events*.c    handle packets other than TNT
 *   walk*.c                     follow the code, no further than a packet proves
 *   timed.c, executed.c         collect what was executed, and when
 *   segment.c                   the base of the code segment
 *   space.c, block.c            find the code
 *
 * SDM 36.3.1, "Operation", to 36.4.2, "Packet Definitions"; what each branch and event yields: Table "Packet Generation
 * under Different Enable Conditions".
 */
#ifndef DECODE_ENGINE_ENGINE_STATE_H
#define DECODE_ENGINE_ENGINE_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/engine/block.h"
#include "decode/engine/clock.h"
#include "decode/engine/errata.h"
#include "decode/engine/executed.h"
#include "decode/engine/flow.h"
#include "decode/engine/returns.h"
#include "decode/engine/space.h"
#include "pt/packet/packet.h"

/* A direct-mapped cache of blocks by space and address. */
#define ENGINE_RECENT 16384u
struct engine_recent {
    uint64_t ip, version; /* version: engine_version */
    struct block *block;
};

/* What a FUP belongs to. */
enum engine_fup {
    FUP_OF_EVENT,    /* an interrupt, an exception, a VM exit: TIP or TIP.PGD follows */
    FUP_OF_OVERFLOW, /* tracing resumes there */
    FUP_OF_PTWRITE,  /* it gives the IP of a PTWRITE */
    FUP_UNBOUND      /* it only gives the IP of a packet that does not change the flow */
};

/* The time of branches: timed.h. */
struct timed {
    bool unsettled;  /* low differs from engine_clock.low */
    uint64_t before; /* the earliest TSC of the last packet that proved branches; 0: not known */
    uint64_t low;    /* the earliest TSC of the branches that the next such packet proves */
};

struct engine {
    const struct flow_input *input;
    unsigned needs; /* enum flow_need */
    struct spaces spaces;
    struct blocks blocks;
    struct engine_recent *recent; /* ENGINE_RECENT entries */
    struct executed executed;
    struct returns returns;
    struct engine_clock clock;

    /* the current position of execution */
    uint64_t ip;      /* linear */
    uint32_t cs_base; /* outside 64-bit mode */
    struct {
        uint64_t at; /* trace offset of the last VM exit; UINT64_MAX: not known */
        uint32_t cs_base;
    } left;
    struct block *block;      /* the block that begins at ip; NULL: not looked up yet */
    struct block **link;      /* where to store block if it is on the same page as from; NULL: nowhere */
    const struct block *from; /* the block before it; valid if link is not NULL */
    enum instruction_mode mode;
    bool tracing;        /* between TIP.PGE and TIP.PGD */
    bool without_branch; /* execution got here by a VM entry, or tracing was enabled here */
    bool compressed_returns;
    uint64_t guest_cr3;                 /* of the last PIP in non-root operation; FLOW_CR3_UNKNOWN: not known */
    bool listing;                       /* single instructions or blocks are needed */
    const struct flow_stretch *stretch; /* NULL: it has ended */

    /* the packets */
    const uint8_t *packet, *at, *end; /* the current packet, the next one, the end of the stretch */
    uint64_t last_ip;
    uint64_t code_at; /* trace offset for which the code is read */
    uint64_t nr_packets;
    bool header;            /* within a PSB+ */
    uint64_t blocks_at_psb; /* executed.blocks at the last PSB */
    enum engine_fup fup;    /* what the next FUP belongs to */
    bool event;             /* a FUP reported an event, whose TIP is still to come */
    bool event_non_root;    /* the event occurred in non-root operation */
    bool mode_pending;      /* a MODE.Exec has set mode_next, which is valid from the next TIP on */
    enum instruction_mode mode_next;
    const struct block *entered; /* a PIP reported this VM entry or task switch, whose TIP is still to come */
    enum packet_kind before;     /* the last packet, not counting those of packet_is_between */
    bool overflown;              /* no packet since the last OVF has shown whether tracing is on */
    bool dark;                   /* the guest's TraceEn was cleared, and not by a VM exit: blackouts.h */
    bool aborted;                /* the next FUP gives the IP of a transaction's abort */
    struct errata errata;
    struct timed timed;
};

/* Identifies the code: the version of the space, and the mode. */
static inline uint64_t engine_version(const struct engine *engine)
{
    return engine->spaces.current->version << 2 | (uint64_t)engine->mode;
}

static inline struct engine_recent *engine_recent_place(const struct engine *engine, uint64_t ip)
{
    return &engine->recent[(ip ^ ip >> 12) & (ENGINE_RECENT - 1)];
}

/* Continue at ip. */
static inline void engine_set_ip(struct engine *engine, uint64_t ip)
{
    engine->ip = ip;
    engine->block = NULL;
    engine->link = NULL;
}

/* The IP of a TIP, TIP.PGE, TIP.PGD or FUP, as the packet has it: segment.h. false: it is suppressed. */
static inline bool engine_packet_ip(struct engine *engine, const struct packet *packet, uint64_t *ip)
{
    if (!pt_ip_expand(ip, (enum pt_ip_bytes)packet->ip_bytes, packet->ip, engine->last_ip))
        return false;
    engine->last_ip = *ip;
    return true;
}

#endif
