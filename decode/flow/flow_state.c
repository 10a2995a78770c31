#include "decode/flow/flow_state.h"

#include "decode/truth.h"

static void count_branch(struct flow *flow, uint64_t from, uint64_t to, uint64_t tsc)
{
    struct flow_result *result = flow->result;
    result->branches++;
    result->hash = truth_hash(result->hash, from, to);
    result->last_to = to;
    if (flow->hooks.branch)
        flow->hooks.branch(flow->hooks.context, from, to, tsc);
}

/* The first count blocks of the tail did run. */
static void commit_blocks(struct flow *flow, size_t count)
{
    struct flow_result *result = flow->result;
    for (size_t i = 0; i < count; i++) {
        const struct flow_pending *block = &flow->tail.blocks[i];
        if (!block->non_root) {
            result->root_instructions += block->instructions;
            continue;
        }
        result->instructions += block->instructions;
        if (flow->hooks.instruction)
            flow->hooks.instruction(flow->hooks.context, block->ip);
        if (block->branch && block->resolved)
            count_branch(flow, block->end_ip, block->to, block->tsc);
    }
    result->blocks += count;
    flow->tail.used = 0;
}

static void resolve_last(struct flow *flow, uint64_t ip)
{
    if (flow->tail.used == 0)
        return;
    struct flow_pending *last = &flow->tail.blocks[flow->tail.used - 1];
    if (!last->resolved) {
        last->resolved = true;
        last->to = ip;
    }
}

static void commit_async(struct flow *flow)
{
    struct flow_async *async = &flow->async;
    if (async->pending && async->non_root && flow->non_root)
        count_branch(flow, async->from, async->to, async->tsc);
    async->pending = false;
}

/* Only 16-bit code is expected in segments with a base. */
static uint64_t flow_linear(const struct flow *flow, uint64_t ip)
{
    return flow->bits == 16 ? code_pages_linear(flow->input->pages, flow->code_at, ip) : ip;
}

enum flow_error flow_take_block(void *context, const struct flow_block *block)
{
    struct flow *flow = context;
    flow->bits = block->bits;
    flow->space = block->space;
    const uint64_t ip = flow_linear(flow, block->ip);
    commit_async(flow);
    resolve_last(flow, ip);
    if (flow->tail.used > 0 && flow->tail.blocks[flow->tail.used - 1].proven)
        commit_blocks(flow, flow->tail.used);
    if (flow->tail.used == FLOW_TAIL_MAX)
        return FLOW_ERROR_LOOP;
    flow->tail.blocks[flow->tail.used++] = (struct flow_pending){
        .ip = ip,
        .end_ip = flow_linear(flow, block->end_ip),
        .tsc = block->tsc,
        .instructions = block->instructions,
        .branch = block->end != FLOW_END_PLAIN,
        .proven = block->end == FLOW_END_BRANCH,
        .non_root = flow->non_root,
    };
    return FLOW_OK;
}

static void take_async_branch(struct flow *flow, const struct flow_event *event)
{
    commit_async(flow);
    resolve_last(flow, event->from);
    commit_blocks(flow, flow->tail.used);
    flow->async = (struct flow_async){
        .pending = true, .non_root = flow->non_root, .from = event->from, .to = event->to, .tsc = event->tsc};
}

/* Everything before is certain; a branch whose target is not known by now never got one. */
static void take_end(struct flow *flow)
{
    commit_async(flow);
    commit_blocks(flow, flow->tail.used);
}

/* An interrupt or a VM exit to where nothing is traced: which of both, the paging event behind it tells. Without a
 * target it may be either. */
static void take_async_disabled(struct flow *flow, const struct flow_event *event)
{
    if (event->to_known) {
        take_async_branch(flow, event);
        return;
    }
    resolve_last(flow, event->from);
    take_end(flow);
}

enum flow_error flow_take_event(void *context, const struct flow_event *told)
{
    struct flow *flow = context;
    struct flow_event linear_event = *told;
    const struct flow_event *event = &linear_event;
    linear_event.from = flow_linear(flow, told->from);
    linear_event.to = flow_linear(flow, told->to);
    switch (event->kind) {
    case FLOW_EVENT_ENABLED:
        take_end(flow);
        flow->code_at = event->offset;
        break;
    case FLOW_EVENT_DISABLED:
        resolve_last(flow, event->to_known ? event->to : flow_unresolved_target(flow, event->walked_past));
        take_end(flow);
        break;
    case FLOW_EVENT_ASYNC_DISABLED:
        take_async_disabled(flow, event);
        break;
    case FLOW_EVENT_ASYNC_BRANCH:
        take_async_branch(flow, event);
        break;
    case FLOW_EVENT_PAGING:
        commit_async(flow); /* of before */
        flow->non_root = event->non_root || flow->input->guest_only;
        break;
    case FLOW_EVENT_ASYNC_PAGING:
        flow->non_root = event->non_root || flow->input->guest_only;
        break;
    case FLOW_EVENT_OVERFLOW:
        take_end(flow);
        flow->result->overflows++;
        break;
    case FLOW_EVENT_NO_CODE:
        /* The way here is known, only what stands here is not. */
        resolve_last(flow, event->from);
        break;
    }
    return FLOW_OK;
}

enum flow_error flow_end_stretch(struct flow *flow, const struct flow_stretch *stretch)
{
    struct flow_tail *tail = &flow->tail;
    commit_async(flow);
    if (!stretch->has_boundary_ip) {
        commit_blocks(flow, tail->used);
        return 0;
    }
    const uint64_t boundary_ip = flow_linear(flow, stretch->boundary_ip);
    size_t keep = flow_tail_find(tail, boundary_ip);
    bool found = keep < tail->used;
    /* The block at the boundary may be one that cannot be read yet: its page is sent behind the PSB. */
    if (!found && tail->used > 0) {
        const struct flow_pending *last = &tail->blocks[tail->used - 1];
        found = last->branch && last->resolved && last->to == boundary_ip;
    }
    bool nothing_left = tail->used == 0;
    commit_blocks(flow, keep);
    return found || nothing_left ? FLOW_OK : FLOW_ERROR_BOUNDARY;
}

void flow_break_off(struct flow *flow)
{
    take_end(flow);
}
