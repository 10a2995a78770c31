/*
 * Where nearly all of the time is spent: from block to block by the bits of TNT packets. The state of the walk is in
 * local variables here, and goes back into the engine where something else is to be done.
 */
#include "decode/engine/engine.h"

/* So many blocks that take no bit, and whoever called looks whether that is a loop. */
#define MOST_UNPROVEN 4096u

/* The walk, in registers. */
struct run {
    struct block *block; /* where it stands; NULL: the one that way leads to out of from */
    struct block *from;
    unsigned way;
    struct flow_branch *out, *proven;
    uint64_t instructions, proven_instructions;
};

/* A compressed RET to where the code is still that of the CALL. */
static inline struct block *return_to(struct engine *engine, const struct block *ret, uint64_t version)
{
    const struct returns *returns = &engine->returns;
    const struct returns_call *last = &returns->calls[(returns->next - 1) % RETURNS_MAX];
    if (!engine->compressed_returns || returns->count == 0 || ret->ip_bytes < 8 || last->version != version)
        return NULL;
    return returns_pop(&engine->returns)->call;
}

/* One of the branches that only bits tell of, or none. Returns false if it is another instruction. *bit: it took one.
 */
static inline bool take(struct engine *engine, struct run *run, uint64_t version, unsigned next_bit, bool *bit)
{
    struct block *block = run->block;
    *bit = true;
    run->way = next_bit;
    run->from = block;
    if (__builtin_expect(block->end == INSTRUCTION_JCC, 1))
        return true;
    if (block->end == INSTRUCTION_RET) {
        run->way = BLOCK_ON;
        return next_bit && (run->from = return_to(engine, block, version));
    }
    *bit = false;
    run->way = BLOCK_TAKEN;
    if (block->end == INSTRUCTION_CALL_DIRECT && !block->zero_call)
        returns_push(&engine->returns, block, version);
    if (block->end == INSTRUCTION_CALL_DIRECT || block->end == INSTRUCTION_JMP_DIRECT)
        return true;
    run->way = BLOCK_ON;
    return block->end == BLOCK_RUNS_ON;
}

/* The block that way leads to. NULL: it is to be looked for, and may then be linked. */
static inline struct block *next_block(const struct engine *engine, const struct run *run, uint64_t version)
{
    struct block *block = run->from->links[run->way];
    const uint64_t ip = run->from->next[run->way];
    if (block || (!run->from->across && (ip ^ run->from->end_ip) < RECORD_PAGE_SIZE))
        return block;
    const struct engine_recent *recent = engine_recent_place(engine, ip);
    return recent->ip == ip && recent->version == version ? recent->block : NULL;
}

static void put_back(struct engine *engine, const struct run *run)
{
    struct executed *executed = &engine->executed;
    executed->used = (size_t)(run->out - executed->items);
    executed->proven = (size_t)(run->proven - executed->items);
    executed->instructions = run->instructions;
    executed->proven_instructions = run->proven_instructions;
    engine->block = run->block;
    if (!run->from)
        return;
    engine->ip = run->from->next[run->way];
    engine->from = run->from;
    engine->link = &run->from->links[run->way];
}

unsigned walk_known(struct engine *engine, uint64_t bits, unsigned count)
{
    struct executed *executed = &engine->executed;
    const uint64_t version = engine_version(engine);
    struct run run = {.block = engine->block,
                      .out = executed->items + executed->used,
                      .proven = executed->items + executed->proven,
                      .instructions = executed->instructions,
                      .proven_instructions = executed->proven_instructions};
    uint64_t blocks = 0;
    for (unsigned unproven = 0; run.block && count > 0 && unproven < MOST_UNPROVEN;) {
        struct block *block = run.block, *from = run.from;
        const unsigned way = run.way;
        bool bit;
        if (!take(engine, &run, version, bits >> (count - 1) & 1, &bit)) {
            run.from = from, run.way = way;
            break;
        }
        *run.out = (struct flow_branch){block->end_ip, run.from->next[run.way]};
        run.out += block->end != BLOCK_RUNS_ON;
        run.instructions += block->instructions;
        blocks++;
        if (bit) {
            count--;
            run.proven = run.out;
            run.proven_instructions = run.instructions;
        } else {
            unproven++;
        }
        run.block = next_block(engine, &run, version);
    }
    executed->blocks += blocks;
    put_back(engine, &run);
    return count;
}
