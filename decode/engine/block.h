/*
 * Code, read once: a run of instructions up to the first that Intel PT may tell of, or to the page's end. Blocks of one
 * page know each other, so that most steps of the walk are a pointer.
 *
 * A block belongs to bytes, not to an address space: where two spaces have the same page at the same address, they
 * share it. What stands on another page is found by the space: decode/engine/space.h. Pure.
 */
#ifndef DECODE_ENGINE_BLOCK_H
#define DECODE_ENGINE_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pt/instruction.h"
#include "serial/record.h"

/* How a block ends, beside the kinds of enum instruction_kind but INSTRUCTION_PLAIN. */
enum block_end {
    BLOCK_RUNS_ON = INSTRUCTION_PLAIN,   /* into the next page, or it has become too long */
    BLOCK_INTO = INSTRUCTION_PTWRITE + 1 /* an interrupt, or nothing */
};

struct block {
    uint64_t ip, end_ip; /* of the first and the last instruction */
    uint64_t to;         /* of a direct branch */
    struct block *taken; /* the block at to, and the one behind this: NULL, where it is on another page or not read */
    struct block *fall;
    const uint8_t *bytes, *other; /* of its page; of the next one, if the only instruction reaches into it */
    uint16_t instructions;
    uint8_t end;      /* enum block_end or enum instruction_kind */
    uint8_t length;   /* of the last instruction */
    uint8_t mode;     /* enum instruction_mode */
    uint8_t ip_bytes; /* of a branch: its target is cut to so many */
    bool zero_call;   /* a direct call to the next instruction, which no RET belongs to */
};

/* The page that code stands on, as one address space has it. */
struct block_page {
    uint64_t gva;
    const uint8_t *bytes, *next; /* next: of the page behind it, asked for by an instruction that reaches into it */
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
    BLOCK_REACHES_ON, /* the instruction goes on in the next page, which is not given */
    BLOCK_INVALID,    /* the bytes are no instruction */
    BLOCK_NO_MEMORY
};

/* false: no memory. */
bool blocks_init(struct blocks *blocks);
void blocks_free(struct blocks *blocks);

/* The block that begins at ip, which is on the page. */
enum block_result blocks_find(struct block **found, struct blocks *blocks, const struct block_page *page, uint64_t ip);

/* How many of its instructions stand before ip; 0: none of them begins there. */
uint32_t block_before(const struct block *block, uint64_t ip);

/* The instruction at ip, which is one of the block's but the last. */
uint32_t block_length_at(const struct block *block, uint64_t ip);

/* An IP is as wide as its code segment. */
static inline uint64_t block_cut_ip(enum instruction_mode mode, uint64_t ip)
{
    return mode == INSTRUCTION_64 ? ip : (uint32_t)ip;
}

/* Of the instruction behind the block. */
static inline uint64_t block_next_ip(const struct block *block)
{
    return block_cut_ip((enum instruction_mode)block->mode, block->end_ip + block->length);
}

#endif
