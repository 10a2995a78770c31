/* Loops that generate no packet. */
#include "decode/engine/walk.h"

#define HLT 0xf4

/* Does an instruction other than the first begin at ip? */
static bool has_inside(const struct block *block, uint64_t ip)
{
    return ip > block_ip(block) && ip <= block->end_ip && block_before(block, ip) > 0;
}

static bool has_hlt(const struct block *block)
{
    if (block->across)
        return false;
    for (uint64_t ip = block_ip(block);; ip += block_length_at(block, ip)) {
        if (block->bytes[ip % RECORD_PAGE_SIZE] == HLT)
            return true;
        if (ip >= block->end_ip)
            return false;
    }
}

/* Where execution continues after a block that needs no packet. false: it may need one. */
static bool next_of(const struct block *block, uint64_t *ip)
{
    switch (block->end) {
    case INSTRUCTION_CALL_DIRECT:
    case INSTRUCTION_JMP_DIRECT:
        *ip = block->next[BLOCK_TAKEN];
        return true;
    case BLOCK_RUNS_ON:
    case BLOCK_INTO:
        *ip = block->next[BLOCK_ON];
        return true;
    default:
        return false;
    }
}

enum walk_again walk_comes_again(struct engine *engine, uint64_t ip)
{
    enum walk_again again = WALK_AGAIN_FREELY;
    uint64_t at = ip;
    for (uint32_t instructions = 0; instructions <= EXECUTED_MAX_UNPROVEN;) {
        enum flow_error ignored;
        const struct block *block = walk_block_at(engine, at, &ignored);
        if (!block)
            return WALK_AGAIN_NEVER;
        if (has_hlt(block))
            again = WALK_AGAIN_HALTED;
        if (instructions > 0 && has_inside(block, ip))
            return again;
        if (!next_of(block, &at))
            return WALK_AGAIN_NEVER;
        if (at == ip)
            return again;
        instructions += block->instructions;
    }
    return WALK_AGAIN_NEVER;
}
