#include "decode/engine/block.h"

#include <stdlib.h>
#include <string.h>

#define PAGE ((uint64_t)RECORD_PAGE_SIZE)
#define FIRST_SIZE 16384u
#define MAX_INSTRUCTIONS 4095u /* as many as struct block can count */

bool blocks_init(struct blocks *blocks)
{
    *blocks = (struct blocks){.table = calloc(FIRST_SIZE, sizeof(struct block *)), .size = FIRST_SIZE};
    return blocks->table != NULL;
}

void blocks_free(struct blocks *blocks)
{
    for (size_t i = 0; i < blocks->nr_chunks; i++)
        free(blocks->chunks[i]);
    free(blocks->chunks);
    free(blocks->table);
    *blocks = (struct blocks){0};
}

static size_t place_of(const struct blocks *blocks, const uint8_t *bytes, uint64_t ip)
{
    uint64_t mixed = (ip ^ (uint64_t)(uintptr_t)bytes << 7) * 0x9e3779b97f4a7c15ull;
    return (size_t)(mixed >> 32) & (blocks->size - 1);
}

static bool grow(struct blocks *blocks)
{
    struct blocks larger = {.table = calloc(2 * blocks->size, sizeof(struct block *)), .size = 2 * blocks->size};
    if (!larger.table)
        return false;
    for (size_t i = 0; i < blocks->size; i++) {
        struct block *block = blocks->table[i];
        if (!block)
            continue;
        size_t at = place_of(&larger, block->bytes, block_ip(block));
        while (larger.table[at])
            at = (at + 1) & (larger.size - 1);
        larger.table[at] = block;
    }
    free(blocks->table);
    blocks->table = larger.table;
    blocks->size = larger.size;
    return true;
}

/* A new block, whose address will not change. NULL: no memory. */
static struct block *new_block(struct blocks *blocks)
{
    if (blocks->count == blocks->nr_chunks * BLOCKS_A_CHUNK) {
        struct block **more = realloc(blocks->chunks, (blocks->nr_chunks + 1) * sizeof(struct block *));
        if (!more)
            return NULL;
        blocks->chunks = more;
        blocks->chunks[blocks->nr_chunks] = aligned_alloc(sizeof(struct block), BLOCKS_A_CHUNK * sizeof(struct block));
        if (!blocks->chunks[blocks->nr_chunks])
            return NULL;
        blocks->nr_chunks++;
    }
    struct block *block = &blocks->chunks[blocks->count / BLOCKS_A_CHUNK][blocks->count % BLOCKS_A_CHUNK];
    blocks->count++;
    return block;
}

/* The target of a direct branch. With a 16-bit operand, IP is truncated, and CS.base is added afterwards. */
static uint64_t direct_target(const struct block *block, uint64_t to)
{
    if (block->ip_bytes == sizeof(uint16_t))
        return (uint32_t)(block->cs_base + ((to - block->cs_base) & 0xffff));
    return block_cut_target(block, to);
}

/* End a block with its last instruction. */
static void end_block(struct block *block, const struct instruction *instruction)
{
    const uint64_t next = block->end_ip + instruction->length;
    block->end = instruction->kind;
    block->ip_bytes = instruction->ip_bytes;
    block->next[BLOCK_ON] = block_cut_ip((enum instruction_mode)block->mode, next);
    if (instruction->kind >= INSTRUCTION_JCC && instruction->kind <= INSTRUCTION_CALL_DIRECT)
        block->next[BLOCK_TAKEN] = direct_target(block, next + (uint64_t)(int64_t)instruction->displacement);
    if (block->cs_base != 0)
        block->ip_bytes = sizeof(uint64_t); /* a return address is already relative to the segment */
    block->zero_call = instruction->kind == INSTRUCTION_CALL_DIRECT && instruction->displacement == 0;
    if (instruction->kind == INSTRUCTION_FAR_CALL && instruction->opcode == OPCODE_INTO)
        block->end = BLOCK_INTO;
}

/* The number of known bytes of a page from an offset on. */
static uint32_t known_from(const uint8_t *known, uint64_t offset)
{
    const uint8_t *end = known ? memchr(known + offset, 0, (size_t)(PAGE - offset)) : NULL;
    return (uint32_t)(end ? (uint64_t)(end - known) - offset : PAGE - offset);
}

/* An instruction that begins on the page and ends on the next one: a block of its own. */
static enum block_result read_across(struct block *block, const struct block_page *page, uint64_t ip)
{
    uint8_t bytes[INSTRUCTION_MAX_BYTES];
    const size_t here = (size_t)(PAGE - ip % PAGE);
    struct instruction instruction;
    if (!page->next || known_from(page->known, ip % PAGE) < here)
        return BLOCK_REACHES_ON;
    const uint32_t more = known_from(page->next_known, 0), room = (uint32_t)(sizeof(bytes) - here);
    memcpy(bytes, page->bytes + ip % PAGE, here);
    memcpy(bytes + here, page->next, room);
    const enum instruction_result result =
        instruction_decode(&instruction, bytes, (uint32_t)here + (more < room ? more : room), page->mode);
    if (result != INSTRUCTION_DECODED)
        return result == INSTRUCTION_SHORT && more < room ? BLOCK_REACHES_ON : BLOCK_INVALID;
    *block = (struct block){.end_ip = ip,
                            .bytes = page->bytes,
                            .other = page->next,
                            .across = true,
                            .instructions = 1,
                            .cs_base = page->cs_base,
                            .mode = page->mode & 3};
    end_block(block, &instruction);
    return BLOCK_FOUND;
}

static enum block_result read_block(struct block *block, const struct block_page *page, uint64_t ip)
{
    *block = (struct block){.first_ip = ip, .bytes = page->bytes, .cs_base = page->cs_base, .mode = page->mode & 3};
    for (uint64_t at = ip; at - page->gva < PAGE;) {
        struct instruction instruction;
        const uint64_t offset = at - page->gva;
        const enum instruction_result result =
            instruction_decode(&instruction, page->bytes + offset, known_from(page->known, offset), page->mode);
        if (result != INSTRUCTION_DECODED && block->instructions > 0)
            break; /* of which is spoken when execution comes there */
        if (result != INSTRUCTION_DECODED)
            return result == INSTRUCTION_SHORT ? read_across(block, page, ip) : BLOCK_INVALID;
        block->end_ip = at;
        block->instructions++;
        end_block(block, &instruction);
        at += instruction.length;
        if (block->end != BLOCK_RUNS_ON || block->instructions == MAX_INSTRUCTIONS)
            break;
    }
    return BLOCK_FOUND;
}

enum block_result blocks_find(struct block **found, struct blocks *blocks, const struct block_page *page, uint64_t ip)
{
    size_t at = place_of(blocks, page->bytes, ip);
    for (struct block *block; (block = blocks->table[at]); at = (at + 1) & (blocks->size - 1)) {
        if (block_ip(block) != ip || block->bytes != page->bytes || block->mode != page->mode ||
            block->cs_base != page->cs_base)
            continue;
        if (block->across && !page->next)
            return BLOCK_REACHES_ON;
        if (block->across && block->other != page->next)
            continue;
        *found = block;
        return BLOCK_FOUND;
    }
    struct block made;
    const enum block_result result = read_block(&made, page, ip);
    if (result != BLOCK_FOUND)
        return result;
    struct block *block = new_block(blocks);
    if (!block || (2 * blocks->count > blocks->size && !grow(blocks)))
        return BLOCK_NO_MEMORY;
    *block = made;
    at = place_of(blocks, page->bytes, ip);
    while (blocks->table[at])
        at = (at + 1) & (blocks->size - 1);
    blocks->table[at] = *found = block;
    return BLOCK_FOUND;
}

uint32_t block_length_at(const struct block *block, uint64_t ip)
{
    struct instruction instruction;
    const uint64_t offset = ip % PAGE;
    if (instruction_decode(&instruction, block->bytes + offset, (uint32_t)(PAGE - offset),
                           (enum instruction_mode)block->mode) != INSTRUCTION_DECODED)
        return 0;
    return instruction.length;
}

uint32_t block_before(const struct block *block, uint64_t ip)
{
    uint32_t count = 0;
    uint64_t at = block_ip(block);
    while (at < ip && at < block->end_ip) {
        at += block_length_at(block, at);
        count++;
    }
    return at == ip ? count : 0;
}

uint64_t block_next_ip(const struct block *block, uint64_t ip)
{
    if (block->end_ip != ip)
        return ip + block_length_at(block, ip);
    const bool direct = block->end >= INSTRUCTION_JCC && block->end <= INSTRUCTION_CALL_DIRECT;
    return block->next[direct ? BLOCK_TAKEN : BLOCK_ON];
}
