/*
 * Between what reads packets and what consumes branches, in the judge: a packet engine walks the code along the packets
 * and hands on runs of instructions and events, in the order of execution. Whoever consumes them (flow_state.c) knows
 * no packet and no decoder library.
 */
#ifndef JUDGE_PACKET_ENGINE_H
#define JUDGE_PACKET_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/engine/flow.h"
#include "decode/engine/hot.h"

/* How a run of instructions ends. */
enum flow_block_end {
    FLOW_END_PLAIN,      /* no branch */
    FLOW_END_MAY_DIRECT, /* a jump or a call that may be direct, and then takes no packet */
    FLOW_END_BRANCH,     /* a branch that took a packet */
    FLOW_END_WAITING     /* a branch that needs a packet, and there is none */
};

/* A run of instructions, the last of which stands at end_ip. */
struct judge_block {
    uint64_t ip, end_ip;
    uint32_t instructions;
    uint8_t bits;   /* 16, 32, 64 */
    uint64_t tsc;   /* as far as the packets tell; 0: not known, or not asked for */
    uint64_t space; /* in which they were executed: code_pages.h */
    enum flow_block_end end;
};

enum packet_event_kind {
    PACKET_EVENT_ENABLED,        /* tracing begins; code is from now on as it is at offset */
    PACKET_EVENT_DISABLED,       /* tracing ends with the last block's branch, which leads to to */
    PACKET_EVENT_ASYNC_DISABLED, /* tracing ends at from, by an interrupt or a VM exit to to */
    PACKET_EVENT_ASYNC_BRANCH,   /* an interrupt or a VM exit, from from to to */
    PACKET_EVENT_PAGING,         /* the last block's last instruction changed CR3, or entered a guest */
    PACKET_EVENT_ASYNC_PAGING,   /* the asynchronous branch before it did */
    PACKET_EVENT_OVERFLOW,       /* packets were lost */
    PACKET_EVENT_REACHED,        /* the last block's last instruction was executed: it wrote a packet */
    PACKET_EVENT_NO_CODE         /* execution came to from, which cannot be read */
};

struct packet_event {
    enum packet_event_kind kind;
    bool to_known;     /* of DISABLED and ASYNC_DISABLED */
    bool walked_past;  /* DISABLED without to: the engine may have walked on behind the branch that left */
    bool non_root;     /* of PAGING and ASYNC_PAGING */
    uint64_t from, to; /* linear addresses */
    uint64_t offset;   /* trace offset up to which packets were read */
    uint64_t tsc;      /* as in judge_block */
};

/* Gets them. What they return but FLOW_OK ends the run. */
struct flow_sink {
    enum flow_error (*block)(void *context, const struct judge_block *block);
    enum flow_error (*event)(void *context, const struct packet_event *event);
    void *context;
    bool timed; /* blocks and events need a time */
};

/* Where a run ended. */
struct flow_stop {
    uint64_t ip;     /* where execution stood */
    uint64_t space;  /* in which address space: code_pages.h */
    uint64_t offset; /* trace offset up to which packets were read */
    bool tracing;    /* between TIP.PGE and TIP.PGD */
    bool used_up;    /* no packet is left that something must take, and no bit of one */
};

struct packet_engine; /* the state of one thread */

struct packet_engine_ops {
    /* at: trace offset of the first run. single: blocks of one instruction, which is slower. NULL: error says why. */
    struct packet_engine *(*open)(const struct flow_input *input, uint64_t at, bool single,
                                  const struct flow_sink *sink, struct error *error);
    /* Decode trace offsets [begin, end), which begin with a PSB. Runs come in the order of the trace. FLOW_OK: to the
     * end. */
    enum flow_error (*run)(struct packet_engine *engine, uint64_t begin, uint64_t end, struct flow_stop *stop);
    void (*close)(struct packet_engine *engine);
    /* The pages of spaces that were needed so far and of which no record says what they are. */
    const struct hot *(*inferred)(const struct packet_engine *engine);
};

/* libipt_engine.c. */
extern const struct packet_engine_ops packet_engine_libipt;

#endif
