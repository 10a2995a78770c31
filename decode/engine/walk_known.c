/*
 * The fast path of the walk, from block to block by the bits of TNT packets. The state of the walk is in local
 * variables here, and is written back into the engine at the end.
 */
#include "decode/engine/walk_known.h"

/* After so many blocks that consume no bit, the caller checks whether they are an endless loop. */
#define MOST_UNPROVEN 4096u

/* The state of the walk, which the compiler keeps in registers. */
struct run {
    uint8_t *kinds;      /* executed.tags; NULL: not needed. The compiler makes one walk with them, and one without */
    struct block *block; /* the current one; NULL: the one at exit `way` of from, which is not looked up yet */
    struct block *from;
    unsigned way;
    union flow_item *out, *proven;
    uint64_t instructions, proven_instructions;
};

static inline struct run begin(const struct engine *engine, uint8_t *kinds)
{
    const struct executed *executed = &engine->executed;
    return (struct run){.kinds = kinds,
                        .block = engine->block,
                        .out = executed->items + executed->used,
                        .proven = executed->items + executed->proven,
                        .instructions = executed->instructions,
                        .proven_instructions = executed->proven_instructions};
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

/* The block at exit `way` of from. NULL: it is not known yet; the caller of the walk looks it up. */
static inline struct block *next_block(const struct engine *engine, const struct run *run, uint64_t version)
{
    struct block *block = run->from->links[run->way];
    const uint64_t ip = run->from->next[run->way];
    if (block || (!run->from->across && (ip ^ run->from->end_ip) < RECORD_PAGE_SIZE))
        return block;
    const struct engine_recent *recent = engine_recent_place(engine, ip);
    return recent->ip == ip && recent->version == version ? recent->block : NULL;
}

static inline void put_branch(const struct engine *engine, struct run *run, uint64_t to)
{
    const struct block *block = run->block;
    if (run->kinds)
        run->kinds[run->out - engine->executed.items] = block_kind(block);
    run->out->branch = (struct flow_branch){block->end_ip, to};
}

/* Count the current block as executed, and continue at exit `way` of from. */
static inline void leave(struct engine *engine, struct run *run, uint64_t version, struct block *from, unsigned way)
{
    const struct block *block = run->block;
    run->from = from;
    run->way = way;
    put_branch(engine, run, from->next[way]);
    run->out += block->end != BLOCK_RUNS_ON;
    run->instructions += block->instructions;
    run->block = next_block(engine, run, version);
}

/* A direct jump or call, or the end of a page. */
static inline void pass(struct engine *engine, struct run *run, uint64_t version)
{
    struct block *block = run->block;
    if (block->end == INSTRUCTION_CALL_DIRECT && !block->zero_call)
        returns_push(&engine->returns, block, version);
    leave(engine, run, version, block, block->end == BLOCK_RUNS_ON ? BLOCK_ON : BLOCK_TAKEN);
}

static inline bool may_pass(const struct block *block)
{
    return block->end == INSTRUCTION_JMP_DIRECT || block->end == INSTRUCTION_CALL_DIRECT || block->end == BLOCK_RUNS_ON;
}

static inline void prove(struct run *run)
{
    run->proven = run->out;
    run->proven_instructions = run->instructions;
}

/* The CALL's block of a compressed RET, if the code has not changed since. NULL: use the general walk. */
static inline struct block *call_of(struct engine *engine, const struct block *ret, uint64_t version)
{
    const struct returns *returns = &engine->returns;
    const struct returns_call *last = &returns->calls[(returns->next - 1) % RETURNS_MAX];
    if (!engine->compressed_returns || returns->count == 0 || ret->ip_bytes < 8 || last->version != version)
        return NULL;
    return returns_pop(&engine->returns)->call;
}

static inline unsigned take_bits(struct engine *engine, uint64_t bits, unsigned count, uint8_t *kinds)
{
    const uint64_t version = engine_version(engine);
    struct run run = begin(engine, kinds);
    uint64_t blocks = 0;
    unsigned unproven = 0;
    while (run.block && count > 0 && unproven < MOST_UNPROVEN) {
        struct block *block = run.block, *call;
        const unsigned bit = bits >> (count - 1) & 1;
        if (__builtin_expect(block->end == INSTRUCTION_JCC, 1)) {
            leave(engine, &run, version, block, bit);
        } else if (may_pass(block)) {
            pass(engine, &run, version);
            blocks++;
            unproven++;
            continue;
        } else if (block->end == INSTRUCTION_RET && bit && (call = call_of(engine, block, version))) {
            leave(engine, &run, version, call, BLOCK_ON);
        } else {
            break;
        }
        prove(&run);
        blocks++;
        count--;
    }
    engine->executed.blocks += blocks;
    put_back(engine, &run);
    return count;
}

unsigned walk_known(struct engine *engine, uint64_t bits, unsigned count)
{
    uint8_t *kinds = engine->executed.tags;
    return kinds ? take_bits(engine, bits, count, kinds) : take_bits(engine, bits, count, NULL);
}

/* Take the branch that consumes a TIP, which leads to ip. */
static inline bool take_indirect(struct engine *engine, struct run *run, uint64_t version, uint64_t ip)
{
    struct block *block = run->block;
    if (block->end == INSTRUCTION_CALL_INDIRECT)
        returns_push(&engine->returns, block, version);
    else if (block->end == INSTRUCTION_RET)
        returns_pop(&engine->returns);
    else if (block->end != INSTRUCTION_JMP_INDIRECT)
        return false;
    put_branch(engine, run, ip);
    run->out++;
    run->instructions += block->instructions;
    prove(run);
    return true;
}

static inline bool take_tip(struct engine *engine, uint64_t ip, uint8_t *kinds)
{
    const uint64_t version = engine_version(engine);
    struct run run = begin(engine, kinds);
    bool taken = false;
    uint64_t blocks = 0;
    while (run.block && blocks < MOST_UNPROVEN && !(taken = take_indirect(engine, &run, version, ip))) {
        if (!may_pass(run.block))
            break;
        pass(engine, &run, version);
        blocks++;
    }
    engine->executed.blocks += blocks + taken;
    put_back(engine, &run);
    if (!taken)
        return false;
    const struct engine_recent *recent = engine_recent_place(engine, ip);
    engine_set_ip(engine, ip);
    if (recent->ip == ip && recent->version == version)
        engine->block = recent->block;
    return true;
}

bool walk_known_tip(struct engine *engine, uint64_t ip)
{
    uint8_t *kinds = engine->executed.tags;
    return kinds ? take_tip(engine, ip, kinds) : take_tip(engine, ip, NULL);
}
