/*
 * The output of decoding: batches of tagged items with one context. Consumers pull them (flow_next), and declare
 * beforehand what they need; the engine does no work for anything else.
 */
#ifndef DECODE_ENGINE_BATCH_H
#define DECODE_ENGINE_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/engine/flow_input.h"

/* What a consumer needs: flags. Without any, stretches are decoded and counted, and only their results are delivered.
 * Instructions or blocks make decoding several times slower. */
enum flow_need {
    FLOW_NEED_BRANCHES = 1,
    FLOW_NEED_KINDS = 2,     /* the kind of each branch, as its tag; with branches */
    FLOW_NEED_TRANSFERS = 4, /* every branch that is not conditional, with its kind; conditional ones are counted. Not
                                with branches, instructions or blocks */
    FLOW_NEED_INSTRUCTIONS = 8,
    FLOW_NEED_BLOCKS = 16, /* not with instructions */
    FLOW_NEED_POSITIONS = 32,
    FLOW_NEED_TIME = 64,     /* contexts have a time */
    FLOW_NEED_CONTEXT = 128, /* all items of a batch have its context's CR3, mode and code offset */
    FLOW_NEED_HASH = 256     /* results have the hash of their branches */
};
#define FLOW_NEED_LISTING (FLOW_NEED_INSTRUCTIONS | FLOW_NEED_BLOCKS)
#define FLOW_NEED_ITEMS (FLOW_NEED_BRANCHES | FLOW_NEED_TRANSFERS | FLOW_NEED_LISTING)

/* The context in which the items of a batch were executed. Without FLOW_NEED_CONTEXT it is that of the last item. */
struct flow_context {
    uint64_t cr3;       /* from PIP, or FLOW_CR3_UNKNOWN */
    uint64_t tsc;       /* 0: not known, or not needed */
    uint64_t tsc_error; /* the time is off by at most so many ticks, or FLOW_TSC_ERROR_UNKNOWN */
    uint64_t at;        /* the code was executed as it was at this trace offset: for code_pages_find */
    uint16_t cpu;
    uint8_t mode; /* enum instruction_mode */
};
#define FLOW_CR3_UNKNOWN (~0ull)
#define FLOW_TSC_ERROR_UNKNOWN UINT64_MAX

/* Linear addresses; decode/truth.h defines what a branch is. */
struct flow_branch {
    uint64_t from, to;
};

/* Instructions that were executed in sequence, up to a branch, to another instruction that packets may report, or to
 * the end of a page. */
struct flow_block {
    uint64_t first;      /* linear address of the first instruction */
    uint16_t last, size; /* bytes from there to the last instruction, and to its end */
    uint32_t instructions;
};

union flow_item {
    struct flow_branch branch;
    struct flow_block block;
    uint64_t instruction; /* its linear address */
    uint64_t conditional; /* the number of conditional branches that were executed here */
};
_Static_assert(sizeof(union flow_item) == 16, "items of all kinds have one size");

/* Tags of items. A branch has the kind of its instruction (enum instruction_kind), or FLOW_TAG_EVENT. */
enum {
    FLOW_TAG_EVENT = 0xff, /* a branch by an interrupt or exception, which came before the instruction at from */
    FLOW_TAG_INSTRUCTION = 0xfe,
    FLOW_TAG_BLOCK = 0xfd,
    FLOW_TAG_CONDITIONAL = 0xfc
};

/* The guest's position where no branch shows it: at a VM entry or exit, where tracing is enabled or disabled, at a PSB.
 */
struct flow_position {
    uint64_t ip;  /* linear; 0: not known */
    bool running; /* true: the guest continues at ip; false: it stopped at ip, and other code is traced next */
};

/* The result of decoding a stretch of trace. */
struct flow_result {
    uint64_t begin, end, tsc;   /* of the stretch: struct flow_stretch */
    uint64_t branches;          /* in non-root operation */
    uint64_t hash;              /* of these branches, from TRUTH_HASH_SEED; only with FLOW_NEED_HASH */
    uint64_t instructions;      /* in non-root operation */
    uint64_t root_instructions; /* the traced ones: those around VM entries and exits */
    uint64_t last_to;           /* the last branch's target */
    uint64_t blocks, packets;
    uint32_t overflows;    /* OVF packets */
    uint32_t blackouts;    /* TraceEn was cleared and set in non-root operation: decode/flow/blackouts.h */
    enum flow_error error; /* other than FLOW_OK: decoding stopped at error_offset */
    uint64_t error_offset, error_ip, error_space;
    /* FUPs inside a loop that generates no packet: the number of iterations before them is unknown, and only a part of
     * one iteration is counted. The first of them is at loop_offset. */
    uint32_t loops;
    uint64_t loop_offset, loop_ip;
};

/* Bytes of trace without a PSB before them, which cannot be decoded. */
struct flow_gap {
    uint64_t begin, end; /* trace offsets */
    bool has_branches;   /* their packets report branches, or are no packets */
};

enum flow_batch_kind {
    FLOW_BATCH_ITEMS,
    FLOW_BATCH_POSITION,
    FLOW_BATCH_END, /* the stretch has ended; after an error, or if the next stretch does not begin at its end, what was
                       executed in between is not known */
    FLOW_BATCH_GAP, /* only from sources and streams */
    FLOW_BATCH_TEXT /* only from streams */
};

/* Valid until the next one is pulled. */
struct flow_batch {
    enum flow_batch_kind kind;
    struct flow_context context;
    uint64_t begin;       /* trace offset of the stretch */
    uint64_t conditional; /* with FLOW_NEED_TRANSFERS: conditional branches between the batch before and this one */
    const union flow_item *items;  /* FLOW_BATCH_ITEMS */
    const uint8_t *tags;           /* of each item; NULL: all are branches, and their kinds were not needed */
    size_t count;                  /* items; bytes of text */
    struct flow_position position; /* FLOW_BATCH_POSITION */
    union {
        const struct flow_result *result; /* FLOW_BATCH_END */
        const struct flow_gap *gap;       /* FLOW_BATCH_GAP */
        const char *text;                 /* FLOW_BATCH_TEXT, of list number list */
    };
    unsigned list;
};

static inline bool flow_tag_is_branch(uint8_t tag)
{
    return tag < FLOW_TAG_CONDITIONAL || tag == FLOW_TAG_EVENT;
}

/* Is the item a branch? Batches without tags have only branches. */
static inline bool flow_batch_is_branch(const struct flow_batch *batch, size_t i)
{
    return !batch->tags || flow_tag_is_branch(batch->tags[i]);
}

#endif
