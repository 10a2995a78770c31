/*
 * Inside of the flow engine: the state of one thread, which its files share. Each of them calls only those below it:
 *
 *   engine.c                    the beginning and the end of a stretch
 *   packets.c                   reads the trace, packet by packet
 *   errata_flow.c, events*.c    what a packet that is no TNT means for the walk
 *   walk*.c                     along the code, no further than a packet proves
 *   timed.c, executed.c         what was executed, and when
 *   space.c, block.c            the code
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

/* Blocks by address, as spaces have them: direct-mapped. */
#define ENGINE_RECENT 16384u
struct engine_recent {
    uint64_t ip, version; /* version: of the space, and the mode */
    struct block *block;
};

/* What a FUP belongs to. */
enum engine_fup {
    FUP_OF_EVENT,    /* an interrupt, an exception, a VM exit: TIP or TIP.PGD follows */
    FUP_OF_OVERFLOW, /* tracing resumes there */
    FUP_OF_PTWRITE,  /* that instruction */
    FUP_ALONE        /* nothing that changes the flow */
};

/* The time of branches: timed.h. */
struct timed {
    bool unsettled;  /* low is not the clock's */
    uint64_t before; /* when the last packet that proves something came, at the earliest; 0: not known */
    uint64_t low;    /* the same of what the next one proves */
};

struct engine {
    const struct flow_input *input;
    unsigned needs; /* enum flow_need */
    struct spaces spaces;
    struct blocks blocks;
    struct engine_recent *recent; /* ENGINE_RECENT of them */
    struct executed executed;
    struct returns returns;
    struct engine_clock clock;

    /* where execution is */
    uint64_t ip;
    struct block *block;      /* that begins there; NULL: it is to be looked for */
    struct block **link;      /* where to keep it if it is on the same page as the one before; NULL: nowhere */
    const struct block *from; /* that one */
    enum instruction_mode mode;
    bool tracing; /* between TIP.PGE and TIP.PGD */
    bool anew;    /* by no branch: a VM entry, tracing enabled */
    bool compressed_returns;
    uint64_t guest_cr3;                 /* of the last PIP that was not root's; FLOW_CR3_UNKNOWN */
    bool listing;                       /* single instructions or blocks are needed */
    const struct flow_stretch *stretch; /* NULL: it is at its end */

    /* the packets */
    const uint8_t *packet, *at, *end; /* the current packet, the next one, the end of all */
    uint64_t last_ip;
    uint64_t code_at; /* trace offset for which the code is read */
    uint64_t nr_packets;
    bool header;            /* within a PSB+ */
    uint64_t blocks_at_psb; /* since then: executed.blocks */
    enum engine_fup fup;    /* what the next FUP belongs to */
    bool event;             /* a FUP reported an event, whose TIP is still to come */
    bool event_non_root;    /* where it came from */
    bool mode_pending;      /* by MODE.Exec, for the next TIP */
    enum instruction_mode mode_next;
    const struct block *entered; /* a PIP reported this VM entry or task switch, whose TIP is still to come */
    enum packet_kind before;     /* the last packet that belongs to another one */
    bool overflown;              /* OVF was the last packet that says whether tracing is on */
    bool aborted;                /* the next FUP is of a transaction's abort */
    struct errata errata;
    struct timed timed;
};

/* Versions of spaces distinguish the code of one mode; this one distinguishes modes too. */
static inline uint64_t engine_version(const struct engine *engine)
{
    return engine->spaces.current->version << 2 | (uint64_t)engine->mode;
}

static inline struct engine_recent *engine_recent_place(const struct engine *engine, uint64_t ip)
{
    return &engine->recent[(ip ^ ip >> 12) & (ENGINE_RECENT - 1)];
}

/* Execution is at ip. */
static inline void engine_set_ip(struct engine *engine, uint64_t ip)
{
    engine->ip = ip;
    engine->block = NULL;
    engine->link = NULL;
}

/* The linear address of an IP of 16-bit code. */
static inline uint64_t engine_linear(const struct engine *engine, enum instruction_mode mode, uint64_t ip)
{
    return mode == INSTRUCTION_16 ? code_pages_linear(engine->input->pages, engine->code_at, ip) : ip;
}

/* The IP of a TIP, TIP.PGE, TIP.PGD or FUP. false: it is suppressed. */
static inline bool engine_packet_ip(struct engine *engine, const struct packet *packet, uint64_t *ip)
{
    if (!pt_ip_expand(ip, (enum pt_ip_bytes)packet->ip_bytes, packet->ip, engine->last_ip))
        return false;
    engine->last_ip = *ip;
    return true;
}

#endif
