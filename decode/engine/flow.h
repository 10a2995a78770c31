/*
 * Control flow: a stretch of trace from one PSB to the next, and the code that was executed, become branches.
 *
 * What a branch is, and the hash over them, is in decode/truth.h.
 */
#ifndef DECODE_FLOW_H
#define DECODE_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/engine/flow_event.h"
#include "decode/engine/flow_input.h"

/* What a stretch ends at, and so what is known of where execution stood there. */
enum flow_end {
    FLOW_ENDS_AT_GAP,     /* nothing is known */
    FLOW_ENDS_WITH_TRACE, /* there is no more: tracing is off, or the trace was cut */
    FLOW_ENDS_AT_PSB,     /* whose PSB+ says nothing: it is not whole, or packets were lost within it */
    FLOW_ENDS_AT_PSB_OFF, /* tracing is off there */
    FLOW_ENDS_AT_PSB_IP   /* it stands at boundary_ip, the FUP of the PSB+ */
};

/* A stretch of trace. */
struct flow_stretch {
    uint64_t begin; /* trace offset of its PSB */
    uint64_t end;   /* trace offset of the next PSB, of a gap, or the trace's size */
    enum flow_end ends;
    uint64_t boundary_ip;
    uint64_t tsc;     /* of the PSB+ at begin; 0: it has none */
    uint64_t end_tsc; /* of the PSB+ at end; 0: there is none, or it has none */
};

/* What became of it. */
struct flow_result {
    uint64_t begin, end, tsc;   /* as of the stretch */
    uint64_t branches;          /* in non-root */
    uint64_t hash;              /* of them, from TRUTH_HASH_SEED; only with flow_input.hashed */
    uint64_t instructions;      /* in non-root */
    uint64_t root_instructions; /* the traced ones: those around VM entries and exits */
    uint64_t last_to;           /* the last branch's target */
    uint64_t blocks, packets;
    uint32_t overflows;    /* OVF packets */
    enum flow_error error; /* but for FLOW_OK, decoding stopped at error_offset */
    uint64_t error_offset, error_ip, error_space;
    /* FUPs within a loop that has no packet: how often it went round before, nothing tells; a part of a round is what
     * is counted. And where the first one is. */
    uint32_t loops;
    uint64_t loop_offset, loop_ip;
};

struct flow_branch {
    uint64_t from, to; /* linear addresses; decode/truth.h says of what */
};

/* Instructions of the guest that were executed one behind another: up to a branch, or to another one that packets may
 * tell of, or to the end of a page. */
struct flow_block {
    uint64_t first, last; /* linear addresses of the first and the last instruction */
    uint64_t end;         /* behind the last one's bytes */
    uint32_t instructions;
};

/* How the guest went from one function to another, or may have. */
enum flow_transfer_kind {
    FLOW_TRANSFER_JUMP, /* JMP, near, or far within code of one privilege as far as anybody can tell */
    FLOW_TRANSFER_CALL,
    FLOW_TRANSFER_RETURN,
    FLOW_TRANSFER_FAR_CALL,   /* SYSCALL, SYSENTER, INT n, INT1, INT3, INTO, CALL far */
    FLOW_TRANSFER_FAR_RETURN, /* IRET, SYSRET, SYSEXIT, RET far and the like */
    FLOW_TRANSFER_INTERRUPT   /* an interrupt or exception, delivered behind the instructions before from */
};

/* A branch that is not conditional, and how many conditional ones came since the one before it. */
struct flow_transfer {
    uint64_t from, to; /* as of a flow_branch */
    uint64_t before;
    enum flow_transfer_kind kind;
};

/* Transfers of one time and one CR3. */
struct flow_transfers {
    const struct flow_transfer *items;
    size_t count;
    uint64_t tsc, cr3; /* as of flow_context */
    uint64_t at;       /* a trace offset at which their code stood as it was then */
    uint64_t begin;    /* of the stretch */
};

/* Branches of one time and one CR3, with what made each of them. */
struct flow_batch {
    const struct flow_branch *items;
    const uint8_t *kinds; /* of each: enum instruction_kind, or TRANSFERS_EVENT */
    size_t count;
    uint64_t tsc, cr3, at; /* as of flow_transfers */
};

/* Where the guest stands that no branch tells: it runs from ip on, or has come up to ip, and what is traced next is
 * something else (0: nobody knows how far it came). A VM entry or exit, tracing that is enabled or disabled, a PSB. */
struct flow_stand {
    uint64_t ip; /* linear */
    bool runs;
    uint64_t tsc, cr3, at; /* as of flow_transfers */
};

/* What to call for branches, several at a time and of one time (tsc: 0 unless flow_input.timed is set), for every
 * instruction or block of the guest, not both, and for every event, in order, before the stretch's result is complete.
 * NULL: nothing; without instruction and block, decoding is several times as fast. With event, what was walked up to an
 * error is told as executed: it leads to where packets and code part. */
struct flow_hooks {
    void (*branches)(void *context, const struct flow_branch *branches, size_t count, uint64_t tsc);
    void (*instruction)(void *context, uint64_t ip);
    void (*event)(void *context, const struct flow_event *event);
    void *context;
    void (*block)(void *context, const struct flow_block *block);
    /* In place of branches, not with instruction or block. Conditional branches at the end of a stretch, behind its
     * last transfer, are told of by one with from == 0, which is none. */
    void (*transfers)(void *context, const struct flow_transfers *transfers);
    /* In place of branches, not with instruction or block. flow_run does not hand it on. */
    void (*batch)(void *context, const struct flow_batch *batch);
    void (*stand)(void *context, const struct flow_stand *stand); /* with batch, in order with it */
    /* With transfers, behind the last ones of a stretch: what became of it. Where error is not FLOW_OK, or the next
     * stretch does not begin at end, nobody knows what was executed in between. */
    void (*result)(void *context, const struct flow_result *result);
};

/* In which context the code ran that hooks are called for; exact where flow_input.placed is set. */
struct flow_context {
    uint64_t cr3;       /* as PIP tells it, or FLOW_CR3_UNKNOWN */
    uint64_t tsc;       /* 0: not known, or flow_input.timed is not set */
    uint8_t mode;       /* enum instruction_mode */
    uint64_t tsc_error; /* it was so many ticks earlier or later, at most; or FLOW_TSC_ERROR_UNKNOWN */
    uint64_t at;        /* a trace offset at which the code stood as it was then */
};
#define FLOW_CR3_UNKNOWN (~0ull)
#define FLOW_TSC_ERROR_UNKNOWN UINT64_MAX

/* An engine: how stretches are decoded. */
struct flow_ops {
    /* The state of one thread. NULL: error says why. */
    void *(*open)(const struct flow_input *input, const struct flow_hooks *hooks, struct error *error);
    /* Without go_on, all of it. */
    void (*begin)(void *state, const struct flow_stretch *stretch, struct flow_result *result);
    void (*close)(void *state);
    const struct hot *(*inferred)(const void *state);
    bool (*go_on)(void *state);
    struct flow_context (*context)(const void *state); /* NULL: it does not know */
};

/* decode/engine/: ours. Tests have another one, to compare: flow_use() takes it for all that is begun from then on. */
extern const struct flow_ops flow_engine_own;
void flow_use(const struct flow_ops *ops);

struct flow; /* the state of one thread */

/* NULL: error says why. */
struct flow *flow_start(const struct flow_input *input, const struct flow_hooks *hooks, struct error *error);
void flow_end(struct flow *flow);

/* The pages of spaces that were needed so far and of which no record says what they are: code_pages.h. */
const struct hot *flow_inferred(const struct flow *flow);

/* Decode a stretch, as far as packets prove what was executed: not across errors, nor behind the last packet, but where
 * the next PSB+ says up to where. Stretches come in the order of the trace. */
void flow_decode(struct flow *flow, const struct flow_stretch *stretch, struct flow_result *result);

/* The same in steps: flow_go_on decodes until some thousand branches have been handed on. false: the stretch is at its
 * end, and its result complete. */
void flow_begin(struct flow *flow, const struct flow_stretch *stretch, struct flow_result *result);
bool flow_go_on(struct flow *flow);

/* For hooks. */
struct flow_context flow_context(const struct flow *flow);

#endif
