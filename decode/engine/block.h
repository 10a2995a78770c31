/*
 * Decoded code: a block is a run of instructions up to the first one that Intel PT may report, or up to the page's end.
 * Blocks of one page are linked, so that most steps of the walk only follow a pointer.
 *
 * A block belongs to bytes, not to an address space: two spaces that have the same page at the same address share it.
 * Blocks on other pages are found through the space: decode/engine/space.h. Pure.
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
    BLOCK_RUNS_ON = INSTRUCTION_PLAIN,   /* execution continues in the next page; or the block has become too long */
    BLOCK_INTO = INSTRUCTION_PTWRITE + 1 /* INTO, which is an interrupt or does nothing */
};

/* The exits of a block: to the next instruction, or to the target of a direct branch. */
enum { BLOCK_ON, BLOCK_TAKEN };

/* It fills a cache line. */
struct block {
    uint64_t end_ip;        /* of the last instruction */
    uint64_t next[2];       /* the IP after it; of a direct branch, also its target */
    struct block *links[2]; /* the blocks there; NULL: on another page, or not decoded yet */
    union {
        uint64_t first_ip;    /* block_ip() */
        const uint8_t *other; /* across: of the next page */
    };
    const uint8_t *bytes; /* of its page */
    uint32_t cs_base;     /* CS.base, outside 64-bit mode */
    uint16_t instructions : 12;
    uint16_t mode : 2;      /* enum instruction_mode */
    uint16_t across : 1;    /* its only instruction reaches into the next page, which may change on its own: no links */
    uint16_t zero_call : 1; /* a direct call to the next instruction, which no RET belongs to */
    uint8_t end;            /* enum block_end or enum instruction_kind */
    uint8_t
        ip_bytes; /* of a branch: its target is cut to so many; 8 where that is done, as of those of a CS with a base */
};
_Static_assert(sizeof(struct block) == 64, "it is read at each branch");

/* A page of code, as one address space has it. */
struct block_page {
    uint64_t gva;
    const uint8_t *bytes, *next;       /* next: of the page after it, for an instruction that reaches into it */
    const uint8_t *known, *next_known; /* as of struct page_record */
    uint32_t cs_base;
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

/* Find or decode the block that begins at ip, which is on the page. */
enum block_result blocks_find(struct block **found, struct blocks *blocks, const struct block_page *page, uint64_t ip);

/* The number of its instructions before ip; 0: none of them begins at ip, or the first one does. */
uint32_t block_before(const struct block *block, uint64_t ip);

/* The length of the instruction at ip, which must be one of the block's, but not the last one. */
uint32_t block_length_at(const struct block *block, uint64_t ip);

/* The IP that follows the instruction at ip, which must be one of the block's. For a direct branch, its target. */
uint64_t block_next_ip(const struct block *block, uint64_t ip);

/* The kind of the block's last instruction (enum instruction_kind). A call to the next instruction counts as a jump. */
static inline uint8_t block_kind(const struct block *block)
{
    return block->zero_call ? INSTRUCTION_JMP_DIRECT : block->end;
}

/* Truncate an IP to the width of its code segment. */
static inline uint64_t block_cut_ip(enum instruction_mode mode, uint64_t ip)
{
    return mode == INSTRUCTION_64 ? ip : (uint32_t)ip;
}

/* The IP of the first instruction. */
static inline uint64_t block_ip(const struct block *block)
{
    return block->across ? block->end_ip : block->first_ip;
}

/* Truncate the target of the block's branch to its operand size. */
static inline uint64_t block_cut_target(const struct block *block, uint64_t ip)
{
    return block->ip_bytes < 8 ? ip & ((1ull << 8 * block->ip_bytes) - 1) : ip;
}

#endif
