/*
 * Code, read once: a run of instructions up to the first that Intel PT may report, or to the page's end. Blocks of one
 * page know each other, so that most steps of the walk are a pointer.
 *
 * A block belongs to bytes, not to an address space: where two spaces have the same page at the same address, they
 * share it. What is on another page is found by the space: decode/engine/space.h. Pure.
 */
#ifndef DECODE_ENGINE_BLOCK_H
#define DECODE_ENGINE_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pt/instruction/instruction.h"
#include "serial/wire/record.h"

/* How a block ends: one of these, or a kind of enum instruction_kind other than INSTRUCTION_PLAIN. */
enum block_end {
    BLOCK_RUNS_ON = INSTRUCTION_PLAIN,   /* into the next page, or it has become too long */
    BLOCK_INTO = INSTRUCTION_PTWRITE + 1 /* an interrupt, or nothing */
};

/* The ways out of a block. */
enum { BLOCK_ON, BLOCK_TAKEN };

/* A line of cache. */
struct block {
    uint64_t end_ip;        /* of the last instruction */
    uint64_t next[2];       /* the IP after it; of a direct branch, also its target */
    struct block *links[2]; /* the blocks there: NULL, where they are on another page or not looked for yet */
    union {
        uint64_t first_ip;    /* block_ip() */
        const uint8_t *other; /* across: of the next page */
    };
    const uint8_t *bytes; /* of its page */
    uint16_t instructions;
    uint8_t end;  /* enum block_end or enum instruction_kind */
    uint8_t mode; /* enum instruction_mode */
    uint8_t
        ip_bytes; /* of a branch: its target is cut to so many; 8 where that is done, as of those of a CS with a base */
    bool across;  /* its only instruction reaches into the next page, which may change independently: it has no links */
    bool zero_call; /* a direct call to the next instruction, which no RET belongs to */
};
_Static_assert(sizeof(struct block) == 64, "it is read at each branch");

/* A page of code, as one address space has it. */
struct block_page {
    uint64_t gva;
    const uint8_t *bytes, *next;       /* next: of the page after it, for an instruction that reaches into it */
    const uint8_t *known, *next_known; /* as of struct page_record */
    uint64_t cs_base;                  /* the same */
    enum instruction_mode mode;
};

#define BLOCKS_A_CHUNK 4096u

struct blocks {
    struct block **table; /* by address and bytes */
    size_t size, count;   /* size: a power of two */
    struct block **chunks;
    size_t nr_chunks;
};

enum block_result {
    BLOCK_FOUND,
    BLOCK_REACHES_ON, /* the instruction continues in the next page, which is not given, or in bytes that are not known
                       */
    BLOCK_INVALID,    /* the bytes are no instruction */
    BLOCK_NO_MEMORY
};

/* false: no memory. */
bool blocks_init(struct blocks *blocks);
void blocks_free(struct blocks *blocks);

/* The block that begins at ip, which is on the page. */
enum block_result blocks_find(struct block **found, struct blocks *blocks, const struct block_page *page, uint64_t ip);

/* How many of its instructions precede ip; 0: none of them begins there. */
uint32_t block_before(const struct block *block, uint64_t ip);

/* The instruction at ip, which is one of the block's but the last. */
uint32_t block_length_at(const struct block *block, uint64_t ip);

/* The IP after the instruction at ip, which is one of the block's, by what it says itself; of a branch, where it may
 * lead. */
uint64_t block_next_ip(const struct block *block, uint64_t ip);

/* What kind of branch it ends with: enum instruction_kind. A call to the next instruction is a jump. */
static inline uint8_t block_kind(const struct block *block)
{
    return block->zero_call ? INSTRUCTION_JMP_DIRECT : block->end;
}

/* An IP is as wide as its code segment. */
static inline uint64_t block_cut_ip(enum instruction_mode mode, uint64_t ip)
{
    return mode == INSTRUCTION_64 ? ip : (uint32_t)ip;
}

/* Of the first instruction. */
static inline uint64_t block_ip(const struct block *block)
{
    return block->across ? block->end_ip : block->first_ip;
}

/* Where a branch leads is as wide as its operand. */
static inline uint64_t block_cut_target(const struct block *block, uint64_t ip)
{
    return block->ip_bytes < 8 ? ip & ((1ull << 8 * block->ip_bytes) - 1) : ip;
}

#endif
