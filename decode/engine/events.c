/* Packets other than TNT that affect the flow: SDM Table "Packet Generation under Different Enable Conditions". */
#include "decode/engine/events.h"

#include "decode/engine/errata_flow.h"
#include "decode/engine/events_space.h"
#include "decode/engine/segment.h"
#include "decode/engine/walk.h"

/* MODE.Exec is valid from the next TIP or TIP.PGE on. */
static enum instruction_mode next_mode(const struct engine *engine)
{
    return engine->mode_pending ? engine->mode_next : engine->mode;
}

static void arrive(struct engine *engine, uint64_t ip)
{
    executed_prove(&engine->executed);
    if (engine->needs & FLOW_NEED_CONTEXT && next_mode(engine) != engine->mode)
        executed_flush(&engine->executed);
    engine->mode = next_mode(engine);
    engine->mode_pending = engine->without_branch = false;
    engine_set_ip(engine, ip);
}

/* Execution gets to ip without a branch. */
static void arrive_without_branch(struct engine *engine, uint64_t ip)
{
    arrive(engine, ip);
    engine->without_branch = true;
    executed_position(&engine->executed, true, ip);
}

/* An event occurred at the current IP; it is a branch if it did not leave the guest. */
static void put_event(struct engine *engine, uint64_t to)
{
    if (engine->event_non_root && engine->executed.non_root)
        executed_branch(&engine->executed, engine->ip, to, FLOW_TAG_EVENT);
}

/* Read the code as it is after this packet. false: no memory. */
static bool refresh_code(struct engine *engine)
{
    engine->code_at = (uint64_t)(engine->at - engine->input->trace);
    executed_at(&engine->executed, engine->code_at);
    return spaces_set(&engine->spaces, engine->spaces.current->space, engine->code_at);
}

/* A far branch from the upper half of the addresses to the lower one: the kernel may have mapped other code. */
static bool enters_user(const struct engine *engine, bool walked, uint64_t ip)
{
    return engine->input->code_changes && walked && walk_is_far(engine->block) && engine->ip >> 63 && !(ip >> 63);
}

static enum flow_error take_tip(struct engine *engine, const struct packet *packet)
{
    uint64_t ip;
    if (!engine->tracing || engine->header)
        return FLOW_ERROR_CONTEXT;
    if (!engine_packet_ip(engine, packet, &ip))
        return FLOW_ERROR_NO_IP;
    const bool entered = engine->entered != NULL, walked = !engine->event && !entered;
    enum flow_error error = walked ? walk_to(engine, WALK_TO_TIP, 0) : FLOW_OK;
    if (!error && entered && engine->entered->end == INSTRUCTION_VM_ENTRY)
        error = segment_enter(engine, next_mode(engine), &ip);
    else if (!error)
        error = segment_arrive(engine, !walked || walk_is_far(engine->block), next_mode(engine), &ip);
    if (error)
        return error;
    const bool refresh = enters_user(engine, walked, ip);
    if (engine->event)
        put_event(engine, ip);
    else if (entered)
        walk_branch(engine, engine->entered, ip);
    else
        walk_by_packet(engine, engine->block, ip);
    engine->event = false;
    engine->entered = NULL;
    if (entered)
        arrive_without_branch(engine, ip);
    else
        arrive(engine, ip);
    return !refresh || refresh_code(engine) ? FLOW_OK : FLOW_ERROR_MEMORY;
}

/* TIP.PGE. Code records are sent between a VM exit and the next entry, while tracing is off: they are valid from here.
 */
static enum flow_error take_pge(struct engine *engine, const struct packet *packet)
{
    uint64_t ip;
    /* A PSB+ may contain a FUP while tracing is off: erratum BDM70 and similar ones. */
    if ((engine->tracing && engine->executed.blocks != engine->blocks_at_psb) || engine->header)
        return FLOW_ERROR_CONTEXT;
    if (!engine_packet_ip(engine, packet, &ip))
        return FLOW_ERROR_NO_IP;
    if (!refresh_code(engine))
        return FLOW_ERROR_MEMORY;
    if (segment_enter(engine, next_mode(engine), &ip) != FLOW_OK)
        return FLOW_ERROR_SEGMENT;
    engine->tracing = true;
    engine->fup = FUP_OF_EVENT;
    engine->executed.result.blackouts += engine->dark && engine->executed.non_root;
    engine->dark = false;
    returns_clear(&engine->returns);
    arrive_without_branch(engine, ip);
    return FLOW_OK;
}

/* The target of a branch that left the traced code, if its packet has no IP. For a conditional branch it is the branch
 * target, because a branch that is not taken does not end tracing. */
static uint64_t target_by_code(const struct block *block)
{
    return block->end >= INSTRUCTION_JCC && block->end <= INSTRUCTION_CALL_DIRECT ? block->next[BLOCK_TAKEN]
                                                                                  : TRUTH_TO_UNRESOLVED;
}

static enum flow_error leave(struct engine *engine, bool has_ip, uint64_t ip)
{
    enum flow_error error = walk_to(engine, has_ip ? WALK_TO_PGD : WALK_TO_PGD_OUT, segment_linear(engine, ip));
    if (!error && has_ip)
        error = segment_arrive(engine, walk_is_far(engine->block), next_mode(engine), &ip);
    if (error)
        return error;
    struct block *block = engine->block;
    const uint64_t to = has_ip ? ip : target_by_code(block);
    if (block->end == INSTRUCTION_MOV_CR3)
        walk_leave(engine, block, block->next[BLOCK_ON]);
    else
        walk_by_packet(engine, block, to);
    return block->end == INSTRUCTION_VM_ENTRY ? event_enter_unseen(engine) : FLOW_OK;
}

static enum flow_error take_pgd(struct engine *engine, const struct packet *packet)
{
    uint64_t ip = 0;
    enum flow_error error = FLOW_OK;
    if (!engine->tracing || engine->header)
        return FLOW_ERROR_CONTEXT;
    if (engine->executed.non_root)
        segment_leave(engine);
    const bool has_ip = engine_packet_ip(engine, packet, &ip);
    if (has_ip && (engine->event || engine->entered))
        error = segment_arrive(engine, true, next_mode(engine), &ip);
    if (error)
        return error;
    if (engine->event && has_ip)
        put_event(engine, ip);
    else if (engine->entered)
        walk_branch(engine, engine->entered, has_ip ? ip : TRUTH_TO_UNRESOLVED);
    else if (!engine->event)
        error = leave(engine, has_ip, ip);
    if (error)
        return error;
    executed_prove(&engine->executed);
    engine->dark = engine->event && !has_ip && engine->executed.non_root && !engine->input->guest_only;
    if (engine->event && !has_ip)
        executed_position(&engine->executed, false, engine->ip);
    engine->event = false;
    engine->entered = NULL;
    engine->tracing = false;
    return FLOW_OK;
}

/* Follow the code up to the IP of a FUP, without consuming other packets. */
static enum flow_error walk_to_fup(struct engine *engine, uint64_t ip)
{
    if (!engine->tracing || engine->event || engine->entered)
        return FLOW_ERROR_CONTEXT;
    const enum flow_error error = walk_to(engine, WALK_TO_ADDRESS, ip);
    if (!error)
        executed_prove(&engine->executed);
    return error;
}

/* The PTWRITE at the current IP generated a packet. */
static enum flow_error pass_ptwrite(struct engine *engine)
{
    const enum flow_error error = walk_to(engine, WALK_TO_PTWRITE, 0);
    if (error)
        return error;
    walk_leave(engine, engine->block, engine->block->next[BLOCK_ON]);
    executed_prove(&engine->executed);
    return FLOW_OK;
}

/* The walk has reached the IP of a FUP. If that is in a loop that generates no packet, the number of iterations is
 * unknown, and this is counted. A loop with a HLT is an exception: a halted processor resumes only with an event, so
 * the walk passed the HLT exactly once; or, if a VM entry led to the IP after the HLT, the processor is still halted.
 * But if a branch led there, the loop was executed once or not at all. */
static void count_loop(struct engine *engine, bool walked)
{
    struct flow_result *result = &engine->executed.result;
    const enum walk_again again = walk_comes_again(engine, engine->ip);
    if (again == WALK_AGAIN_NEVER || (again == WALK_AGAIN_HALTED && (walked || engine->without_branch)))
        return;
    if (result->loops++ == 0) {
        result->loop_offset = (uint64_t)(engine->packet - engine->input->trace);
        result->loop_ip = engine->ip;
    }
}

static enum flow_error take_fup(struct engine *engine, const struct packet *packet)
{
    const enum engine_fup fup = engine->fup;
    uint64_t ip;
    if (!engine_packet_ip(engine, packet, &ip))
        return FLOW_ERROR_NO_IP;
    engine->fup = FUP_OF_EVENT;
    if (engine->header || fup == FUP_OF_OVERFLOW) {
        if (segment_arrive(engine, true, next_mode(engine), &ip) != FLOW_OK)
            return FLOW_ERROR_SEGMENT;
        engine->tracing = true;
        arrive_without_branch(engine, ip);
        return FLOW_OK;
    }
    if (!engine->tracing && fup != FUP_OF_EVENT)
        return FLOW_OK; /* it belongs to a packet that is generated even while tracing is off */
    const uint64_t before = engine->ip;
    ip = segment_linear(engine, ip);
    enum flow_error error = walk_to_fup(engine, ip);
    if (error && errata_abort(engine, ip))
        error = FLOW_OK;
    engine->aborted = false;
    if (error) {
        engine->fup = fup; /* the packet may be taken again */
        return error;
    }
    count_loop(engine, before != ip);
    if (fup == FUP_OF_PTWRITE)
        return pass_ptwrite(engine);
    engine->event = fup == FUP_OF_EVENT;
    engine->event_non_root = engine->executed.non_root;
    return FLOW_OK;
}

/* The lost packets may include a PIP, so CR3 is unknown afterwards. */
static enum flow_error take_overflow(struct engine *engine)
{
    engine->header = engine->event = engine->tracing = engine->mode_pending = false;
    engine->entered = NULL;
    engine->fup = FUP_OF_OVERFLOW;
    engine->executed.result.overflows++;
    engine_clock_overflow(&engine->clock);
    engine->guest_cr3 = FLOW_CR3_UNKNOWN;
    engine->left.at = UINT64_MAX;
    returns_clear(&engine->returns);
    executed_by(&engine->executed, engine->executed.non_root, FLOW_CR3_UNKNOWN);
    return spaces_set(&engine->spaces, CODE_SPACE_UNKNOWN, engine->code_at) ? FLOW_OK : FLOW_ERROR_MEMORY;
}

static void take_mode(struct engine *engine, const struct packet *packet)
{
    engine->mode_next = packet->cs_l ? INSTRUCTION_64 : packet->cs_d ? INSTRUCTION_32 : INSTRUCTION_16;
    if (engine->header)
        engine->mode = engine->mode_next;
    engine->mode_pending = !engine->header;
}

/* A FUP that follows this packet will be of this kind. Within a PSB+, the FUP is the PSB's. */
static void expect_fup(struct engine *engine, enum engine_fup fup)
{
    if (!engine->header)
        engine->fup = fup;
}

static enum flow_error take_ptwrite(struct engine *engine, const struct packet *packet)
{
    if (packet->fup_follows)
        expect_fup(engine, FUP_OF_PTWRITE);
    else if (engine->tracing && !engine->header)
        return engine->event || engine->entered ? FLOW_ERROR_MISMATCH : pass_ptwrite(engine);
    return FLOW_OK;
}

static enum flow_error begin_header(struct engine *engine)
{
    engine->header = true;
    engine->last_ip = 0;
    engine->blocks_at_psb = engine->executed.blocks;
    returns_clear(&engine->returns);
    return FLOW_OK;
}

enum flow_error event_take(struct engine *engine, const struct packet *packet)
{
    switch (packet->kind) {
    case PT_PACKET_TIP:
        return take_tip(engine, packet);
    case PT_PACKET_TIP_PGE:
        return take_pge(engine, packet);
    case PT_PACKET_TIP_PGD:
        return take_pgd(engine, packet);
    case PT_PACKET_FUP:
        return take_fup(engine, packet);
    case PT_PACKET_PIP:
        return event_pip(engine, packet);
    case PT_PACKET_MODE_EXEC:
        take_mode(engine, packet);
        return FLOW_OK;
    case PT_PACKET_MODE_TSX: /* after an abort, FUP and TIP follow as after any event */
        engine->aborted = packet->tx_abort && !engine->header;
        if (!packet->tx_abort)
            expect_fup(engine, FUP_UNBOUND);
        return FLOW_OK;
    case PT_PACKET_EXSTOP:
    case PT_PACKET_BEP:
        if (packet->fup_follows)
            expect_fup(engine, FUP_UNBOUND);
        return FLOW_OK;
    case PT_PACKET_OVF:
        return take_overflow(engine);
    case PT_PACKET_PTW:
        return take_ptwrite(engine, packet);
    case PT_PACKET_PSB:
        return begin_header(engine);
    case PT_PACKET_PSBEND:
        if (!engine->header)
            return FLOW_ERROR_CONTEXT;
        engine->header = false;
        return FLOW_OK;
    default:
        return FLOW_OK;
    }
}
