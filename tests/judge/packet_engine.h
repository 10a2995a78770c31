/*
 * The interface between packet decoding and branches in the judge: a packet engine follows the code by the packets, and
 * passes runs of instructions and events to a sink, in the order of execution. The sink (flow_state.c) needs to know
 * neither packets nor the decoder library.
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
    FLOW_END_MAY_DIRECT, /* a jump or a call; if it is direct, it consumes no packet */
    FLOW_END_BRANCH,     /* a branch that consumed a packet */
    FLOW_END_WAITING     /* a branch that needs a packet, but there is none */
};

/* A run of instructions. end_ip: the address of the last one. */
struct judge_block {
    uint64_t ip, end_ip;
    uint32_t instructions;
    uint8_t bits;   /* 16, 32, 64 */
    uint64_t tsc;   /* of the last timing packet; 0: not known, or not needed */
    uint64_t space; /* in which they were executed: code_pages.h */
    enum flow_block_end end;
};

enum packet_event_kind {
    PACKET_EVENT_ENABLED,        /* tracing begins; the code of trace offset `offset` is valid from now on */
    PACKET_EVENT_DISABLED,       /* tracing ends with the last block's branch, whose target is `to` */
    PACKET_EVENT_ASYNC_DISABLED, /* tracing ends at from, by an interrupt or a VM exit to to */
    PACKET_EVENT_ASYNC_BRANCH,   /* an interrupt or a VM exit, from from to to */
    PACKET_EVENT_PAGING,         /* the last block's last instruction changed CR3, or entered a guest */
    PACKET_EVENT_ASYNC_PAGING,   /* the asynchronous branch before it did */
    PACKET_EVENT_OVERFLOW,       /* packets were lost */
    PACKET_EVENT_REACHED,        /* the last block's last instruction was executed: it generated a packet */
    PACKET_EVENT_NO_CODE         /* execution continues at `from`, which cannot be read */
};

struct packet_event {
    enum packet_event_kind kind;
    bool to_known;     /* of DISABLED and ASYNC_DISABLED */
    bool walked_past;  /* of DISABLED without `to`: the engine may have walked past the branch that left */
    bool non_root;     /* of PAGING and ASYNC_PAGING */
    uint64_t from, to; /* linear addresses */
    uint64_t offset;   /* trace offset up to which packets were read */
    uint64_t tsc;      /* as in judge_block */
};

/* Receives blocks and events. A result other than FLOW_OK ends the run. */
struct flow_sink {
    enum flow_error (*block)(void *context, const struct judge_block *block);
    enum flow_error (*event)(void *context, const struct packet_event *event);
    void *context;
    bool timed; /* blocks and events need a time */
};

/* Where a run ended. */
struct flow_stop {
    uint64_t ip;     /* the current IP there */
    uint64_t space;  /* in which address space: code_pages.h */
    uint64_t offset; /* trace offset up to which packets were read */
    bool tracing;    /* between TIP.PGE and TIP.PGD */
    bool used_up;    /* no packet and no TNT bit is left to be consumed */
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
    /* The pages that were needed so far and that no record of their space names. */
    const struct hot *(*inferred)(const struct packet_engine *engine);
};

/* libipt_engine.c. */
extern const struct packet_engine_ops packet_engine_libipt;

#endif
