/*
 * Inside of the flow engine: the state of one thread. walk.c goes along the code, packets.c reads the trace and tells
 * it how far, events.c is what the packets mean that are neither TNT nor TIP.
 *
 * The walk is lazy: it goes no further than a packet proves. SDM 36.3.1, "Operation", to 36.4.2, "Packet Definitions";
 * what each branch and event yields: Table "Packet Generation under Different Enable Conditions".
 */
#ifndef DECODE_ENGINE_ENGINE_H
#define DECODE_ENGINE_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/engine/block.h"
#include "decode/engine/clock.h"
#include "decode/engine/errata.h"
#include "decode/engine/executed.h"
#include "decode/engine/flow.h"
#include "decode/engine/refused.h"
#include "decode/engine/returns.h"
#include "decode/engine/space.h"
#include "decode/engine/tell.h"
#include "decode/engine/timed.h"
#include "pt/packet.h"

/* Blocks by address, as spaces have them: direct-mapped. */
#define ENGINE_RECENT 16384u
struct engine_recent {
    uint64_t ip, version; /* version: of the space, and the mode */
    struct block *block;
};

/* What a FUP belongs to. */
enum engine_fup {
    FUP_OF_EVENT,    /* an interrupt, an exception, a VM exit: TIP or TIP.PGD follows */
    FUP_OF_OVERFLOW, /* tracing goes on there */
    FUP_OF_PTWRITE,  /* that instruction */
    FUP_ALONE        /* nothing that changes the flow */
};

struct engine {
    const struct flow_input *input;
    struct spaces spaces;
    struct blocks blocks;
    struct engine_recent *recent; /* ENGINE_RECENT of them */
    struct executed executed;
    struct returns returns;
    struct engine_clock clock;

    /* where execution stands */
    uint64_t ip;
    struct block *block;      /* that begins there; NULL: it is to be looked for */
    struct block **link;      /* where to keep it if it is on the same page as the one before; NULL: nowhere */
    const struct block *from; /* that one */
    enum instruction_mode mode;
    bool tracing; /* between TIP.PGE and TIP.PGD */
    bool compressed_returns;
    bool return_taken;                  /* the bit of the last compressed RET; they are all ones */
    uint64_t guest_cr3;                 /* of the last PIP that was not root's; FLOW_CR3_UNKNOWN */
    bool listing;                       /* single instructions or blocks are asked for */
    const struct flow_stretch *stretch; /* NULL: it is at its end */

    /* the packets */
    const uint8_t *packet, *at, *end; /* the current packet, what is behind it, what is behind all */
    uint64_t last_ip;
    uint64_t code_at; /* trace offset for which the code is read */
    uint64_t nr_packets;
    bool header;            /* within a PSB+ */
    uint64_t blocks_at_psb; /* since then: executed.blocks */
    enum engine_fup fup;    /* what the next FUP belongs to */
    bool fup_of_event;      /* the last one was of an event */
    uint64_t passed_ip;     /* the last PTWRITE that wrote a packet */
    bool event;             /* a FUP told of an event, whose TIP is missing */
    bool event_non_root;    /* where it came from */
    bool mode_told;         /* by MODE.Exec, for the next TIP */
    enum instruction_mode mode_next;
    const struct block *entered; /* a PIP told of this VM entry or task switch, whose TIP is missing */
    const struct block *left;    /* the last TIP.PGD that no FUP stands before belonged to its end */
    enum packet_kind before;     /* the last packet that belongs to another one */
    bool lost;                   /* behind an error: where execution stands is what the next IP says */
    bool overflown;              /* OVF was the last packet that says whether tracing is on */
    bool aborted;                /* the next FUP is of a transaction's abort */
    struct errata errata;
    struct tell tell;
    struct timed timed;
};

/* Spaces and their versions tell the code of one mode apart; modes are told apart here. */
static inline uint64_t engine_version(const struct engine *engine)
{
    return engine->spaces.current->version << 2 | (uint64_t)engine->mode;
}

static inline struct engine_recent *engine_recent_place(const struct engine *engine, uint64_t ip)
{
    return &engine->recent[(ip ^ ip >> 12) & (ENGINE_RECENT - 1)];
}

/* --- walk.c ---------------------------------------------------------------------------------------------------------
 */

/* Up to what the walk goes. */
enum walk_goal {
    WALK_TO_ADDRESS,
    WALK_TO_TIP, /* an indirect branch or a far transfer */
    WALK_TO_PIP, /* MOV to CR3, VM entry, or a far transfer that may switch tasks */
    WALK_TO_PTWRITE,
    WALK_TO_PGD,    /* a branch that leaves what is traced, to the address given */
    WALK_TO_PGD_OUT /* a branch or another instruction that leaves it, to where is not told */
};

/* Go on without a packet. FLOW_OK: execution stands at the goal. */
enum flow_error walk_to(struct engine *engine, enum walk_goal goal, uint64_t address);

/* Execution stands at address: would it come there again without a packet? It is left anywhere. */
bool walk_comes_again(struct engine *engine, uint64_t address);

/* The bits of a TNT packet, the oldest in the highest. */
enum flow_error walk_bits(struct engine *engine, uint64_t bits, unsigned count);

/* The block where execution stands. NULL: *error says why. */
struct block *walk_block(struct engine *engine, enum flow_error *error);

/* The block was executed, and led to ip. */
void walk_leave(struct engine *engine, const struct block *block, uint64_t ip);

/* The branch of the block was executed, to to, as packets tell it; to_mode: of the code there. */
void walk_branch(struct engine *engine, const struct block *block, uint64_t to, enum instruction_mode to_mode);

/* The block ends with a CALL that a RET may belong to. */
void walk_call(struct engine *engine, struct block *block);

/* Execution stands at ip. */
static inline void walk_set(struct engine *engine, uint64_t ip)
{
    engine->ip = ip;
    engine->block = NULL;
    engine->link = NULL;
}

/* The linear address of an IP of 16-bit code. */
uint64_t walk_linear(const struct engine *engine, enum instruction_mode mode, uint64_t ip);

/* --- walk_list.c ----------------------------------------------------------------------------------------------------
 */

/* List the first count instructions of a block that was executed up to there. */
void walk_list(struct engine *engine, const struct block *block, uint32_t count);

/* --- walk_known.c ---------------------------------------------------------------------------------------------------
 */

/* walk_bits as far as code is known already, and nothing is to be done but branches: it stands at a block. Not of
 * 16-bit code, nor where instructions are listed. Returns how many bits are left. */
unsigned walk_known(struct engine *engine, uint64_t bits, unsigned count);

/* A TIP's near branch, to ip, in the same way. false: it went as far as it could; the branch is still to be found. */
bool walk_known_tip(struct engine *engine, uint64_t ip);

/* --- packets.c ------------------------------------------------------------------------------------------------------
 */

/* The packets from at to end, or until some thousand branches have been handed on. to_psb: a PSB follows them, so that
 * the last one must end there; else they may have been cut anywhere. But for FLOW_OK, packet is the one that cannot be
 * followed. */
enum flow_error packets_run(struct engine *engine, bool to_psb);

/* Where the input wants it: an error costs no more than what is up to the next packet that tells where execution
 * stands. It is told, and that packet taken. false: it costs the rest of the stretch. SDM 36.4.2.3 to 36.4.2.7. */
bool packets_resync(struct engine *engine, enum flow_error error, bool to_psb);

/* A branch needs a TIP while bits are left: it stands behind them (SDM 36.4.2.3, "Deferred TIPs"). */
enum flow_error packets_deferred_tip(struct engine *engine, uint64_t *ip);

/* --- events.c -------------------------------------------------------------------------------------------------------
 */

/* A packet that says something of the flow, but TNT. */
enum flow_error event_take(struct engine *engine, const struct packet *packet);

/* The IP of a TIP, TIP.PGE, TIP.PGD or FUP. false: it is suppressed. */
bool event_ip(struct engine *engine, const struct packet *packet, uint64_t *ip);

/* --- events_space.c -------------------------------------------------------------------------------------------------
 */

/* A PIP packet. */
enum flow_error event_pip(struct engine *engine, const struct packet *packet);

/* Root has entered a guest that is not traced where it goes on: in user mode, with the kernel alone traced. No PIP
 * tells its space. It is as at the last PIP of a guest, since a guest that is not seen cannot load CR3, nor does root
 * for it.
 */
enum flow_error event_enter_unseen(struct engine *engine);

/* What entered a guest or switched tasks or spaces is executed: a MOV to CR3 needs no other packet, the others wait for
 * their TIP. */
enum flow_error event_enter(struct engine *engine);

/* --- errata.c -------------------------------------------------------------------------------------------------------
 */

/* The packet is none by an erratum, or was made what it should be. */
bool errata_skip(struct engine *engine, const struct packet *packet);

/* BDM64: the walk from the last branch does not come to ip, of an abort's FUP. Is it by the erratum, and stands there
 * now? */
bool errata_abort(struct engine *engine, uint64_t ip);

/* --- tell*.c --------------------------------------------------------------------------------------------------------
 */

/* event_take, where events are asked for. */
enum flow_error tell_take(struct engine *engine, const struct packet *packet);

/* An OVF's FUP is none. */
void tell_lost_fup(struct engine *engine);

/* Bits of TNT were taken. */
void tell_anchor(struct engine *engine);

/* A CBR packet. */
void tell_cbr(struct engine *engine, const struct packet *packet);

/* The stretch has ended so; before what is not proven is dropped. */
void tell_end(struct engine *engine, enum flow_error error);

/* Decoding stopped there, and may go on. */
void tell_error(struct engine *engine, enum flow_error error);

/* The same of an error that no packet of the stretch helps. */
bool tell_is_of_packets(enum flow_error error);

#endif
