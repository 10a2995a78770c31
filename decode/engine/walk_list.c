/* What was executed, as a list of instructions or blocks: for hooks that want to see each. */
#include "decode/engine/walk_list.h"

/* Its first count instructions, as one block. */
static void list_block(struct engine *engine, const struct block *block, uint32_t count)
{
    const enum instruction_mode mode = (enum instruction_mode)block->mode;
    uint64_t last = block->end_ip, end = block->next[BLOCK_ON];
    if (count < block->instructions) {
        last = block_ip(block);
        for (uint32_t i = 1; i < count; i++)
            last += block_length_at(block, last);
        end = last + block_length_at(block, last);
    }
    const uint32_t size = (uint32_t)(end - last);
    executed_block(&engine->executed, engine_linear(engine, mode, block_ip(block)),
                   engine_linear(engine, mode, last) + size, size, count);
}

static void list_instructions(struct engine *engine, const struct block *block, uint32_t count)
{
    uint64_t ip = block_ip(block);
    for (uint32_t i = 0; i < count; i++) {
        executed_instruction(&engine->executed, engine_linear(engine, (enum instruction_mode)block->mode, ip));
        if (ip != block->end_ip)
            ip += block_length_at(block, ip);
    }
}

void walk_list(struct engine *engine, const struct block *block, uint32_t count)
{
    if (engine->executed.hooks.block)
        list_block(engine, block, count);
    else
        list_instructions(engine, block, count);
}
