/* Lists executed instructions or blocks, if they are needed. */
#include "decode/engine/walk_list.h"

/* List the first count instructions of a block as one item. */
static void list_block(struct engine *engine, const struct block *block, uint32_t count)
{
    uint64_t last = block->end_ip, end = block->next[BLOCK_ON];
    if (count < block->instructions) {
        last = block_ip(block);
        for (uint32_t i = 1; i < count; i++)
            last += block_length_at(block, last);
        end = last + block_length_at(block, last);
    }
    const uint64_t first = block_ip(block);
    const uint16_t offset = (uint16_t)(last - first);
    executed_block(&engine->executed, (struct flow_block){.first = first,
                                                          .last = offset,
                                                          .size = (uint16_t)(offset + (end - last)),
                                                          .instructions = count});
}

static void list_instructions(struct engine *engine, const struct block *block, uint32_t count)
{
    uint64_t ip = block_ip(block);
    for (uint32_t i = 0; i < count; i++) {
        executed_instruction(&engine->executed, ip);
        if (ip != block->end_ip)
            ip += block_length_at(block, ip);
    }
}

void walk_list(struct engine *engine, const struct block *block, uint32_t count)
{
    if (engine->needs & FLOW_NEED_BLOCKS)
        list_block(engine, block, count);
    else
        list_instructions(engine, block, count);
}
