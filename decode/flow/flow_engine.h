/*
 * Between what reads packets and what consumes branches: a packet engine walks the code along the packets and hands on
 * runs of instructions and events, in the order of execution. Whoever consumes them (flow_state.c) knows no packet and
 * no decoder library; another engine can stand beside libipt's.
 */
#ifndef DECODE_FLOW_ENGINE_H
#define DECODE_FLOW_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/capture/error.h"
#include "decode/code/code_pages.h"
#include "decode/flow/hot.h"

enum flow_error {
    FLOW_OK,
    FLOW_ERROR_BOUNDARY,    /* the flow does not come past the address that the next PSB+ names */
    FLOW_ERROR_LOOP,        /* a loop without a packet: how often it went round, nothing tells */
    FLOW_ERROR_IMAGE,       /* a code page could not be used */
    FLOW_ERROR_NO_CODE,     /* no page of the capture has the instruction */
    FLOW_ERROR_INSTRUCTION, /* its bytes are none */
    FLOW_ERROR_OPCODE,      /* bytes that are no packet */
    FLOW_ERROR_PACKET,      /* a packet with a payload that it cannot have */
    FLOW_ERROR_CONTEXT,     /* a packet where it cannot stand */
    FLOW_ERROR_MISMATCH,    /* the packet does not fit the instruction */
    FLOW_ERROR_SYNC,
    FLOW_ERROR_RETURN, /* a compressed return without its call */
    FLOW_ERROR_NO_IP,
    FLOW_ERROR_MEMORY,
    FLOW_ERROR_OTHER,
    FLOW_ERROR_NO_PSB,      /* bytes with no PSB before them: behind a gap, or at the trace's start */
    FLOW_ERROR_RUN_IN,      /* a packet that does not end where the next PSB begins */
    FLOW_ERROR_LEFT_OVER,   /* TNT bits or an event that no instruction has taken when the next PSB comes */
    FLOW_ERROR_CUT,         /* the trace ends while tracing is on */
    FLOW_ERROR_EVENT_TRACE, /* a FUP that stands alone: Event Trace, Trigger Tracing */
    FLOW_ERROR_DISAGREE,    /* by single instructions it is not what it is by blocks */
    FLOW_NR_ERRORS
};

/* What to decode, and how. The same for all stretches of a CPU's trace. */
struct flow_input {
    const uint8_t *trace;
    uint64_t trace_size;
    bool cpu_known; /* false: no errata but the common one are expected */
    uint16_t family;
    uint8_t model, stepping;
    const struct code_pages *pages;
    uint64_t range_kinds, ranges[8]; /* ADDRn_CFG of IA32_RTIT_CTL, from bit 0 on; IA32_RTIT_ADDR0_A, ADDR0_B, ... */
    uint32_t cpuid_15_eax, cpuid_15_ebx; /* the TSC's frequency by the crystal's */
    uint8_t mtc_freq;                    /* MTCFreq of IA32_RTIT_CTL */
    bool timed;                          /* blocks and events tell their time, which takes time */
    bool guest_only;                     /* root is not traced (pt.switch=list, vmcs): what no PIP says is non-root */
};

/* How a run of instructions ends. */
enum flow_block_end {
    FLOW_END_PLAIN,      /* no branch */
    FLOW_END_MAY_DIRECT, /* a jump or a call that may be direct, and then takes no packet */
    FLOW_END_BRANCH,     /* a branch that took a packet */
    FLOW_END_WAITING     /* a branch that needs a packet, and there is none */
};

/* A run of instructions, the last of which stands at end_ip. */
struct flow_block {
    uint64_t ip, end_ip;
    uint32_t instructions;
    uint8_t bits;   /* 16, 32, 64 */
    uint64_t tsc;   /* as far as the packets tell; 0: not known, or not asked for */
    uint64_t space; /* in which they were executed: code_pages.h */
    enum flow_block_end end;
};

enum flow_event_kind {
    FLOW_EVENT_ENABLED,        /* tracing begins; code is from now on as it is at offset */
    FLOW_EVENT_DISABLED,       /* tracing ends with the last block's branch, which leads to to */
    FLOW_EVENT_ASYNC_DISABLED, /* tracing ends at from, by an interrupt or a VM exit to to */
    FLOW_EVENT_ASYNC_BRANCH,   /* an interrupt or a VM exit, from from to to */
    FLOW_EVENT_PAGING,         /* the last block's last instruction changed CR3, or entered a guest */
    FLOW_EVENT_ASYNC_PAGING,   /* the asynchronous branch before it did */
    FLOW_EVENT_OVERFLOW,       /* packets were lost */
    FLOW_EVENT_REACHED,        /* the last block's last instruction was executed: it wrote a packet */
    FLOW_EVENT_NO_CODE         /* execution came to from, which cannot be read */
};

struct flow_event {
    enum flow_event_kind kind;
    bool to_known;     /* of DISABLED and ASYNC_DISABLED */
    bool walked_past;  /* DISABLED without to: the engine may have walked on behind the branch that left */
    bool non_root;     /* of PAGING and ASYNC_PAGING */
    uint64_t from, to; /* linear addresses */
    uint64_t offset;   /* trace offset up to which packets were read */
    uint64_t tsc;      /* as in flow_block */
};

/* Gets them. What they return but FLOW_OK ends the run. */
struct flow_sink {
    enum flow_error (*block)(void *context, const struct flow_block *block);
    enum flow_error (*event)(void *context, const struct flow_event *event);
    void *context;
};

/* Where a run ended. */
struct flow_stop {
    uint64_t ip;     /* where execution stood */
    uint64_t space;  /* in which address space: code_pages.h */
    uint64_t offset; /* trace offset up to which packets were read */
    bool tracing;    /* between TIP.PGE and TIP.PGD */
    bool used_up;    /* no packet is left that something must take, and no bit of one */
};

struct flow_engine; /* the state of one thread */

struct flow_engine_ops {
    /* at: trace offset of the first run. single: blocks of one instruction, which is slower. NULL: error says why. */
    struct flow_engine *(*open)(const struct flow_input *input, uint64_t at, bool single, const struct flow_sink *sink,
                                struct error *error);
    /* Decode trace offsets [begin, end), which begin with a PSB. Runs come in the order of the trace. FLOW_OK: to the
     * end. */
    enum flow_error (*run)(struct flow_engine *engine, uint64_t begin, uint64_t end, struct flow_stop *stop);
    void (*close)(struct flow_engine *engine);
    /* The pages of spaces that were needed so far and of which no record says what they are. */
    const struct hot *(*inferred)(const struct flow_engine *engine);
};

/* libipt_engine.c. */
extern const struct flow_engine_ops flow_engine_libipt;

#endif
