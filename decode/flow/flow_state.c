#include "decode/flow/flow_state.h"

#include "decode/check/truth.h"

static void count_branch(struct flow *flow, uint64_t from, uint64_t to)
{
    struct flow_result *result = flow->result;
    result->branches++;
    result->hash = truth_hash(result->hash, from, to);
    result->last_to = to;
    if (flow->hooks.branch)
        flow->hooks.branch(flow->hooks.context, from, to);
}

/* The first count blocks of the tail did run. */
static void commit_blocks(struct flow *flow, size_t count)
{
    struct flow_result *result = flow->result;
    for (size_t i = 0; i < count; i++) {
        const struct flow_block *block = &flow->tail.blocks[i];
        if (!block->non_root) {
            result->root_instructions += block->instructions;
            continue;
        }
        result->instructions += block->instructions;
        if (flow->hooks.instruction)
            flow->hooks.instruction(flow->hooks.context, block->ip);
        if (block->branch && block->resolved)
            count_branch(flow, block->end_ip, block->to);
    }
    result->blocks += count;
    flow->tail.used = 0;
}

void flow_resolve(struct flow *flow, uint64_t ip)
{
    if (flow->tail.used == 0)
        return;
    struct flow_block *last = &flow->tail.blocks[flow->tail.used - 1];
    if (!last->resolved) {
        last->resolved = true;
        last->to = ip;
    }
}

static void commit_event(struct flow *flow)
{
    struct flow_event *event = &flow->event;
    if (event->pending && event->non_root && flow->non_root)
        count_branch(flow, event->from, event->to);
    event->pending = false;
}

static bool is_branch(enum pt_insn_class iclass)
{
    switch (iclass) {
    case ptic_call:
    case ptic_return:
    case ptic_jump:
    case ptic_cond_jump:
    case ptic_far_call:
    case ptic_far_return:
    case ptic_far_jump:
        return true;
    case ptic_error: /* libipt does not say which of the indirect jumps and far transfers */
        return true;
    default:
        return false;
    }
}

void flow_set_mode(struct flow *flow, enum pt_exec_mode mode)
{
    flow->bits = mode == ptem_16bit ? 16 : mode == ptem_32bit ? 32 : 64;
}

int flow_take_block(struct flow *flow, uint64_t ip, uint64_t end_ip, uint32_t instructions, enum pt_insn_class iclass)
{
    commit_event(flow);
    flow->paged = false;
    flow_resolve(flow, ip);
    if (flow->tail.used > 0 && flow->tail.blocks[flow->tail.used - 1].proven)
        commit_blocks(flow, flow->tail.used);
    if (flow->tail.used == FLOW_TAIL_MAX)
        return FLOW_ERROR_LOOP;
    bool branch = is_branch(iclass);
    flow->tail.blocks[flow->tail.used++] = (struct flow_block){
        .ip = ip,
        .end_ip = end_ip,
        .instructions = instructions,
        .branch = branch,
        /* Jumps and calls may be direct ones, which take no packet. */
        .proven = branch && iclass != ptic_call && iclass != ptic_jump,
        .non_root = flow->non_root,
    };
    return 0;
}

static void take_async_branch(struct flow *flow, uint64_t from, uint64_t to)
{
    commit_event(flow);
    flow_resolve(flow, from);
    commit_blocks(flow, flow->tail.used);
    flow->event = (struct flow_event){.pending = true, .non_root = flow->non_root, .from = from, .to = to};
}

/* Everything before is certain; a branch whose target is not told by now never got one. */
static void take_end(struct flow *flow)
{
    commit_event(flow);
    commit_blocks(flow, flow->tail.used);
}

/* An interrupt or a VM exit to where nothing is traced: which of both, the paging event behind it tells. Without a
 * target it may be either. */
static void take_async_disabled(struct flow *flow, const struct pt_event *event)
{
    if (!event->ip_suppressed) {
        take_async_branch(flow, event->variant.async_disabled.at, event->variant.async_disabled.ip);
        return;
    }
    flow_resolve(flow, event->variant.async_disabled.at);
    take_end(flow);
}

static int take_disabled(struct flow *flow, const struct pt_event *event)
{
    int error = 0;
    if (event->ip_suppressed && flow_went_on(flow, &error))
        return error;
    flow_resolve(flow, event->ip_suppressed ? flow_unresolved_target(flow) : event->variant.disabled.ip);
    take_end(flow);
    return 0;
}

int flow_take_event(struct flow *flow, const struct pt_event *event, uint64_t offset)
{
    switch (event->type) {
    case ptev_enabled:
        take_end(flow);
        /* Pages are sent between an exit and the next entry, while tracing is off. */
        return flow_image_advance(&flow->image, flow->begin + offset) ? 0 : FLOW_ERROR_IMAGE;
    case ptev_disabled:
        return take_disabled(flow, event);
    case ptev_async_disabled:
        take_async_disabled(flow, event);
        return 0;
    case ptev_async_branch:
        take_async_branch(flow, event->variant.async_branch.from, event->variant.async_branch.to);
        return 0;
    case ptev_paging:
        commit_event(flow); /* of before */
        flow->non_root = event->variant.paging.non_root || flow->input->guest_only;
        flow->paged = true;
        return 0;
    case ptev_async_paging:
        flow->non_root = event->variant.async_paging.non_root || flow->input->guest_only;
        return 0;
    case ptev_overflow:
        take_end(flow);
        flow->result->overflows++;
        return 0;
    default:
        return 0;
    }
}

int flow_end_stretch(struct flow *flow, const struct flow_stretch *stretch)
{
    struct flow_tail *tail = &flow->tail;
    commit_event(flow);
    if (!stretch->has_boundary_ip) {
        commit_blocks(flow, tail->used);
        return 0;
    }
    size_t keep = flow_tail_find(tail, stretch->boundary_ip);
    bool found = keep < tail->used;
    /* The block at the boundary may be one that cannot be read yet: its page is sent behind the PSB. */
    if (!found && tail->used > 0) {
        const struct flow_block *last = &tail->blocks[tail->used - 1];
        found = last->branch && last->resolved && last->to == stretch->boundary_ip;
    }
    bool nothing_left = tail->used == 0;
    commit_blocks(flow, keep);
    return found || nothing_left ? 0 : FLOW_ERROR_BOUNDARY;
}

void flow_break_off(struct flow *flow)
{
    take_end(flow);
}
