/* Along the code, as far as packets say. */
#include "decode/engine/engine.h"
#include "decode/engine/flow_ranges.h"

static struct engine_recent *recent_place(struct engine *engine, uint64_t ip)
{
    return &engine->recent[(ip ^ ip >> 12) & (ENGINE_RECENT - 1)];
}

/* Spaces and their versions tell the code of one mode apart; modes are told apart here. */
static inline uint64_t version_of(const struct engine *engine)
{
    return engine->spaces.current->version << 2 | (uint64_t)engine->mode;
}

static struct block *read_block(struct engine *engine, uint64_t ip, enum flow_error *error)
{
    const uint64_t gva = ip - ip % RECORD_PAGE_SIZE;
    struct block_page page = {.gva = gva, .bytes = spaces_page(&engine->spaces, gva), .mode = engine->mode};
    struct block *block = NULL;
    if (!page.bytes) {
        *error = FLOW_ERROR_NO_CODE;
        return NULL;
    }
    enum block_result result = blocks_find(&block, &engine->blocks, &page, ip);
    if (result == BLOCK_REACHES_ON) {
        page.next = spaces_page(&engine->spaces, block_cut_ip(engine->mode, gva + RECORD_PAGE_SIZE));
        result = blocks_find(&block, &engine->blocks, &page, ip);
    }
    *error = result == BLOCK_FOUND        ? FLOW_OK
             : result == BLOCK_REACHES_ON ? FLOW_ERROR_NO_CODE
             : result == BLOCK_INVALID    ? FLOW_ERROR_INSTRUCTION
                                          : FLOW_ERROR_MEMORY;
    return block;
}

static struct block *find_block(struct engine *engine, uint64_t ip, enum flow_error *error)
{
    struct engine_recent *recent = recent_place(engine, ip);
    const uint64_t version = version_of(engine);
    if (recent->ip == ip && recent->version == version && recent->block)
        return recent->block;
    struct block *block = read_block(engine, ip, error);
    /* The page may have been the first of its space that no record tells of: asked for again, it is the same. */
    if (block)
        *recent = (struct engine_recent){ip, version, block};
    return block;
}

struct block *walk_block(struct engine *engine, enum flow_error *error)
{
    struct block *block = engine->block;
    if (block)
        return block;
    block = engine->block = find_block(engine, engine->ip, error);
    const struct block *from = engine->from;
    if (engine->link && block && block->bytes == from->bytes && !block->other && !from->other &&
        block->ip / RECORD_PAGE_SIZE == from->ip / RECORD_PAGE_SIZE)
        *engine->link = block;
    return block;
}

/* Execution goes on at ip, by this link of a block. */
static inline void follow(struct engine *engine, struct block *block, struct block **link, uint64_t ip)
{
    engine->ip = ip;
    engine->block = *link;
    engine->from = block;
    engine->link = link;
}

uint64_t walk_linear(const struct engine *engine, enum instruction_mode mode, uint64_t ip)
{
    return mode == INSTRUCTION_16 ? code_pages_linear(engine->input->pages, engine->code_at, ip) : ip;
}

static void list_instructions(struct engine *engine, const struct block *block, uint32_t count)
{
    uint64_t ip = block->ip;
    for (uint32_t i = 0; i < count; i++) {
        executed_branch(&engine->executed, walk_linear(engine, (enum instruction_mode)block->mode, ip),
                        EXECUTED_INSTRUCTION);
        if (ip != block->end_ip)
            ip += block_length_at(block, ip);
    }
}

static inline void count_block(struct engine *engine, const struct block *block)
{
    engine->executed.instructions += block->instructions;
    engine->executed.blocks++;
    if (engine->listing)
        list_instructions(engine, block, block->instructions);
}

static inline void put_branch(struct engine *engine, const struct block *block, uint64_t to)
{
    if (block->mode == INSTRUCTION_16)
        executed_branch(&engine->executed, walk_linear(engine, INSTRUCTION_16, block->end_ip),
                        walk_linear(engine, INSTRUCTION_16, to));
    else
        executed_branch(&engine->executed, block->end_ip, to);
}

void walk_branch(struct engine *engine, const struct block *block, uint64_t to, enum instruction_mode to_mode)
{
    if (block->end != INSTRUCTION_VM_ENTRY)
        executed_branch(&engine->executed, walk_linear(engine, (enum instruction_mode)block->mode, block->end_ip),
                        walk_linear(engine, to_mode, to));
}

void walk_leave(struct engine *engine, const struct block *block, uint64_t ip)
{
    count_block(engine, block);
    walk_set(engine, ip);
}

/* Go through a block that needs no packet. false: it does. */
static inline bool pass(struct engine *engine, struct block *block)
{
    switch (block->end) {
    case INSTRUCTION_CALL_DIRECT:
        if (!block->zero_call)
            returns_push(&engine->returns, block_next_ip(block));
        /* fall through */
    case INSTRUCTION_JMP_DIRECT:
        count_block(engine, block);
        put_branch(engine, block, block->to);
        follow(engine, block, &block->taken, block->to);
        return true;
    case BLOCK_RUNS_ON:
    case BLOCK_INTO:
    case INSTRUCTION_MOV_CR3:
    case INSTRUCTION_PTWRITE:
        count_block(engine, block);
        follow(engine, block, &block->fall, block_next_ip(block));
        return true;
    default:
        return false;
    }
}

static enum flow_error take_deferred(struct engine *engine, const struct block *block)
{
    uint64_t ip;
    enum flow_error error = packets_deferred_tip(engine, &ip);
    if (error)
        return error;
    count_block(engine, block);
    if (block->end == INSTRUCTION_CALL_INDIRECT)
        returns_push(&engine->returns, block_next_ip(block));
    walk_branch(engine, block, ip, engine->mode);
    walk_set(engine, ip);
    return FLOW_OK;
}

static enum flow_error take_return(struct engine *engine, const struct block *block, bool taken)
{
    uint64_t to;
    if (!taken || !returns_pop(&engine->returns, &to))
        return FLOW_ERROR_RETURN;
    if (block->ip_bytes < 8)
        to &= (1ull << 8 * block->ip_bytes) - 1;
    count_block(engine, block);
    put_branch(engine, block, to);
    walk_set(engine, to);
    return FLOW_OK;
}

static inline void take_jcc(struct engine *engine, struct block *block, bool taken)
{
    count_block(engine, block);
    follow(engine, block, taken ? &block->taken : &block->fall, taken ? block->to : block_next_ip(block));
    put_branch(engine, block, engine->ip);
}

enum flow_error walk_bits(struct engine *engine, uint64_t bits, unsigned count)
{
    enum flow_error error = FLOW_OK;
    uint64_t idle = 0;
    struct block *block = walk_block(engine, &error);
    while (count > 0 && block) {
        if (block->end == INSTRUCTION_JCC) {
            take_jcc(engine, block, bits >> --count & 1);
        } else if (pass(engine, block)) {
            if ((idle += block->instructions) > EXECUTED_MAX_UNPROVEN)
                return FLOW_ERROR_LOOP;
            block = walk_block(engine, &error);
            continue;
        } else if (block->end == INSTRUCTION_RET && engine->compressed_returns) {
            error = take_return(engine, block, bits >> --count & 1);
        } else {
            error = take_deferred(engine, block);
        }
        if (error)
            return error;
        idle = 0;
        executed_prove(&engine->executed);
        if (engine->executed.proven > EXECUTED_BATCH)
            executed_flush(&engine->executed);
        if (count == 0)
            break;
        block = walk_block(engine, &error);
    }
    return error;
}

/* Is execution to end in the middle of the block? */
static bool stop_within(struct engine *engine, const struct block *block, uint64_t address)
{
    uint32_t before;
    if (address <= block->ip || address > block->end_ip || (before = block_before(block, address)) == 0)
        return false;
    engine->executed.instructions += before;
    if (engine->listing)
        list_instructions(engine, block, before);
    walk_set(engine, address);
    return true;
}

static bool is_far(const struct block *block)
{
    return block->end == INSTRUCTION_FAR_CALL || block->end == INSTRUCTION_FAR_RETURN ||
           block->end == INSTRUCTION_FAR_JUMP || block->end == INSTRUCTION_VM_ENTRY;
}

/* Does a direct branch lead out of what is traced? Where nothing is known of ranges, an address that the packet tells
 * must do. Without an address: erratum SKL014, "Intel PT TIP.PGD May Not Have Target IP Payload". */
static bool leaves(const struct engine *engine, const struct block *block, enum walk_goal goal, uint64_t address)
{
    const struct flow_input *input = engine->input;
    if (block->end != INSTRUCTION_JMP_DIRECT && block->end != INSTRUCTION_CALL_DIRECT)
        return false;
    if (input->range_kinds)
        return !flow_ranges_trace(input, walk_linear(engine, engine->mode, block->to));
    return goal == WALK_TO_PGD && block->to == address;
}

static bool is_goal(const struct engine *engine, const struct block *block, enum walk_goal goal, uint64_t address)
{
    const bool tip = is_far(block) || block->end == INSTRUCTION_RET || block->end == INSTRUCTION_JMP_INDIRECT ||
                     block->end == INSTRUCTION_CALL_INDIRECT;
    switch (goal) {
    case WALK_TO_TIP:
        return tip;
    case WALK_TO_PIP:
        return is_far(block) || block->end == INSTRUCTION_MOV_CR3;
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
    uint64_t idle = 0;
    struct block *block;
    if (goal == WALK_TO_ADDRESS && engine->ip == address)
        return FLOW_OK;
    block = walk_block(engine, &error);
    while (block) {
        if (goal == WALK_TO_ADDRESS ? stop_within(engine, block, address) : is_goal(engine, block, goal, address))
            return FLOW_OK;
        if ((idle += block->instructions) > EXECUTED_MAX_UNPROVEN)
            return FLOW_ERROR_LOOP;
        if (!pass(engine, block))
            return FLOW_ERROR_MISMATCH;
        if (goal == WALK_TO_ADDRESS && engine->ip == address)
            return FLOW_OK;
        block = walk_block(engine, &error);
    }
    return error;
}

bool walk_comes_again(struct engine *engine, uint64_t address)
{
    enum flow_error ignored;
    uint64_t idle = 0;
    struct block *block = walk_block(engine, &ignored);
    while (block && (idle += block->instructions) <= EXECUTED_MAX_UNPROVEN && pass(engine, block)) {
        if (engine->ip == address)
            return true;
        block = walk_block(engine, &ignored);
        if (block && stop_within(engine, block, address))
            return true;
    }
    return false;
}
