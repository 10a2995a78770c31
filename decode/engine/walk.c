/* Follows the code as far as packets prove. */
#include "decode/engine/walk.h"

#include "decode/engine/flow_ranges.h"
#include "decode/engine/segment.h"
#include "decode/engine/walk_known.h"
#include "decode/engine/walk_list.h"

static struct block *read_block(struct engine *engine, uint64_t ip, enum flow_error *error)
{
    const uint64_t gva = ip - ip % RECORD_PAGE_SIZE;
    const struct space_page *code = spaces_page(&engine->spaces, gva);
    struct block *block = NULL;
    *error = FLOW_ERROR_NO_CODE;
    if (!code)
        return NULL;
    struct block_page page = {.gva = gva,
                              .bytes = code->bytes,
                              .known = code->known,
                              .cs_base = engine->mode == INSTRUCTION_64 ? 0 : engine->cs_base,
                              .mode = engine->mode};
    enum block_result result = blocks_find(&block, &engine->blocks, &page, ip);
    if (result == BLOCK_REACHES_ON &&
        (code = spaces_page(&engine->spaces, block_cut_ip(engine->mode, gva + RECORD_PAGE_SIZE)))) {
        page.next = code->bytes;
        page.next_known = code->known;
        result = blocks_find(&block, &engine->blocks, &page, ip);
    }
    if (result != BLOCK_REACHES_ON)
        *error = result == BLOCK_FOUND ? FLOW_OK : result == BLOCK_INVALID ? FLOW_ERROR_INSTRUCTION : FLOW_ERROR_MEMORY;
    return block;
}

struct block *walk_block_at(struct engine *engine, uint64_t ip, enum flow_error *error)
{
    struct engine_recent *recent = engine_recent_place(engine, ip);
    const uint64_t version = engine_version(engine);
    if (recent->ip == ip && recent->version == version &&
        (engine->mode == INSTRUCTION_64 || recent->block->cs_base == engine->cs_base))
        return recent->block;
    struct block *block = read_block(engine, ip, error);
    if (block)
        *recent = (struct engine_recent){ip, version, block};
    return block;
}

struct block *walk_block(struct engine *engine, enum flow_error *error)
{
    struct block *block = engine->block;
    if (block)
        return block;
    block = engine->block = walk_block_at(engine, engine->ip, error);
    const struct block *from = engine->from;
    if (engine->link && block && block->bytes == from->bytes && !block->across && !from->across &&
        block->end_ip / RECORD_PAGE_SIZE == from->end_ip / RECORD_PAGE_SIZE)
        *engine->link = block;
    return block;
}

/* Continue at one of the exits of a block. */
static inline void follow(struct engine *engine, struct block *block, unsigned way)
{
    engine->ip = block->next[way];
    engine->block = block->links[way];
    engine->from = block;
    engine->link = &block->links[way];
}

static inline void count_block(struct engine *engine, const struct block *block)
{
    engine->executed.instructions += block->instructions;
    engine->executed.blocks++;
    if (engine->listing)
        walk_list(engine, block, block->instructions);
}

static inline void put_branch(struct engine *engine, const struct block *block, uint64_t to)
{
    executed_branch(&engine->executed, block->end_ip, to, block_kind(block));
}

void walk_branch(struct engine *engine, const struct block *block, uint64_t to)
{
    if (block->end != INSTRUCTION_VM_ENTRY)
        put_branch(engine, block, to);
}

void walk_leave(struct engine *engine, const struct block *block, uint64_t ip)
{
    count_block(engine, block);
    engine_set_ip(engine, ip);
}

static inline void push_call(struct engine *engine, struct block *block)
{
    returns_push(&engine->returns, block, engine_version(engine));
}

void walk_by_packet(struct engine *engine, struct block *block, uint64_t to)
{
    walk_leave(engine, block, to);
    if (block->end == INSTRUCTION_CALL_INDIRECT || (block->end == INSTRUCTION_CALL_DIRECT && !block->zero_call))
        push_call(engine, block);
    else if (block->end == INSTRUCTION_RET)
        returns_pop(&engine->returns);
    walk_branch(engine, block, to);
}

/* Execute a block whose last instruction consumes no packet. false: it consumes one. */
static inline bool pass(struct engine *engine, struct block *block)
{
    switch (block->end) {
    case INSTRUCTION_CALL_DIRECT:
        if (!block->zero_call)
            push_call(engine, block);
        /* fall through */
    case INSTRUCTION_JMP_DIRECT:
        count_block(engine, block);
        put_branch(engine, block, block->next[BLOCK_TAKEN]);
        follow(engine, block, BLOCK_TAKEN);
        return true;
    case BLOCK_RUNS_ON:
    case BLOCK_INTO:
    case INSTRUCTION_MOV_CR3:
    case INSTRUCTION_PTWRITE:
        count_block(engine, block);
        follow(engine, block, BLOCK_ON);
        return true;
    default:
        return false;
    }
}

/* Follow a compressed RET to the instruction after its CALL, through the CALL's block if the code is still the same. */
static enum flow_error take_return(struct engine *engine, struct block *block, bool taken)
{
    const struct returns_call *from = taken ? returns_pop(&engine->returns) : NULL;
    if (!from)
        return FLOW_ERROR_RETURN;
    const uint64_t to = block_cut_target(block, from->call->next[BLOCK_ON]);
    count_block(engine, block);
    put_branch(engine, block, to);
    if (from->version == engine_version(engine) && to == from->call->next[BLOCK_ON])
        follow(engine, from->call, BLOCK_ON);
    else
        engine_set_ip(engine, to);
    return FLOW_OK;
}

/* What a step consumed. STEP_TIP: it requires a TIP, which is still to be read. */
enum step { STEP_NOTHING, STEP_BIT, STEP_TIP };

static inline enum flow_error take_step(struct engine *engine, struct block *block, bool bit, enum step *took)
{
    *took = STEP_BIT;
    if (block->end == INSTRUCTION_JCC) {
        count_block(engine, block);
        put_branch(engine, block, block->next[bit]);
        follow(engine, block, bit);
        return FLOW_OK;
    }
    if (block->end == INSTRUCTION_RET && engine->compressed_returns)
        return take_return(engine, block, bit);
    *took = pass(engine, block) ? STEP_NOTHING : STEP_TIP;
    return FLOW_OK;
}

unsigned walk_bits(struct engine *engine, uint64_t bits, unsigned count, enum flow_error *error)
{
    struct executed *executed = &engine->executed;
    while (count > 0) {
        struct block *block = walk_block(engine, error);
        enum step took;
        if (!block)
            return count;
        *error = take_step(engine, block, bits >> (count - 1) & 1, &took);
        if (*error || took == STEP_TIP)
            return count;
        if (took == STEP_BIT) {
            executed_prove(executed);
            count--;
        } else if (executed_runs_on(executed)) {
            *error = FLOW_ERROR_LOOP;
            return count;
        }
        if (executed_has_batch(executed))
            executed_flush(executed);
        if (walk_known_may(engine))
            count = walk_known(engine, bits, count);
    }
    return 0;
}

/* Execute the block up to an address within it. false: no instruction but the first begins there. */
static bool stop_within(struct engine *engine, const struct block *block, uint64_t address)
{
    uint32_t before;
    if (address <= block_ip(block) || address > block->end_ip || (before = block_before(block, address)) == 0)
        return false;
    engine->executed.instructions += before;
    if (engine->listing)
        walk_list(engine, block, before);
    engine_set_ip(engine, address);
    return true;
}

bool walk_is_far(const struct block *block)
{
    return block->end == INSTRUCTION_FAR_CALL || block->end == INSTRUCTION_FAR_RETURN ||
           block->end == INSTRUCTION_FAR_JUMP || block->end == INSTRUCTION_VM_ENTRY;
}

/* Does a direct branch or a MOV to CR3 leave the traced code? Without IP ranges, it does if it leads to the address in
 * the packet. The packet may have no address: erratum SKL014, "Intel PT TIP.PGD May Not Have Target IP Payload". */
static bool leaves(const struct engine *engine, const struct block *block, enum walk_goal goal, uint64_t address)
{
    const struct flow_input *input = engine->input;
    const unsigned way = block->end == INSTRUCTION_MOV_CR3 ? BLOCK_ON : BLOCK_TAKEN;
    if (block->end != INSTRUCTION_JMP_DIRECT && block->end != INSTRUCTION_CALL_DIRECT && way == BLOCK_TAKEN)
        return false;
    const uint64_t to = block->next[way];
    if (input->range_kinds && way == BLOCK_TAKEN)
        return !flow_ranges_trace(input, segment_ip(engine, to));
    return goal == WALK_TO_PGD && to == address;
}

static bool is_goal(const struct engine *engine, const struct block *block, enum walk_goal goal, uint64_t address)
{
    const bool tip = walk_is_far(block) || block->end == INSTRUCTION_RET || block->end == INSTRUCTION_JMP_INDIRECT ||
                     block->end == INSTRUCTION_CALL_INDIRECT;
    switch (goal) {
    case WALK_TO_TIP:
        return tip;
    case WALK_TO_PIP:
        return walk_is_far(block) || block->end == INSTRUCTION_MOV_CR3;
    case WALK_TO_PTWRITE:
        return block->end == INSTRUCTION_PTWRITE;
    case WALK_TO_PGD:
        return tip || block->end == INSTRUCTION_JCC || leaves(engine, block, goal, address);
    case WALK_TO_PGD_OUT:
        return tip || block->end == INSTRUCTION_JCC || block->end == INSTRUCTION_MOV_CR3 ||
               leaves(engine, block, goal, address);
    default:
        return false;
    }
}

enum flow_error walk_to(struct engine *engine, enum walk_goal goal, uint64_t address)
{
    enum flow_error error = FLOW_OK;
    for (;;) {
        if (goal == WALK_TO_ADDRESS && engine->ip == address)
            return FLOW_OK;
        struct block *block = walk_block(engine, &error);
        if (!block)
            return error;
        if (goal == WALK_TO_ADDRESS ? stop_within(engine, block, address) : is_goal(engine, block, goal, address))
            return FLOW_OK;
        if (!pass(engine, block))
            return FLOW_ERROR_MISMATCH;
        if (executed_runs_on(&engine->executed))
            return FLOW_ERROR_LOOP;
    }
}
