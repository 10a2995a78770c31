#include "tests/judge/flow_state.h"
#include "tests/judge/flow_target.h"

#include "decode/engine/segment.h"
#include "decode/truth.h"

static void count_branch(struct judge *flow, uint64_t from, uint64_t to, uint64_t tsc)
{
    struct flow_result *result = flow->result;
    if (flow->bound && result->branches == flow->bound->branches)
        return;
    result->branches++;
    result->hash = truth_hash(result->hash, from, to);
    result->last_to = to;
    if (flow->needs & FLOW_NEED_BRANCHES && !flow->silent)
        judge_items_add(&flow->items, (union flow_item){.branch = {from, to}}, FLOW_TAG_EVENT, tsc);
}

static bool is_beyond(const struct judge *flow, const struct flow_pending *block)
{
    const struct flow_result *bound = flow->bound;
    return bound && (block->non_root ? flow->result->instructions == bound->instructions
                                     : flow->result->root_instructions == bound->root_instructions);
}

/* The first count blocks of the tail did run; the others stay. */
static void commit_blocks(struct judge *flow, size_t count)
{
    struct flow_result *result = flow->result;
    for (size_t i = 0; i < count; i++) {
        const struct flow_pending *block = &flow->tail.blocks[i];
        if (is_beyond(flow, block))
            break;
        if (!block->non_root) {
            result->root_instructions += block->instructions;
            continue;
        }
        result->instructions += block->instructions;
        if (flow->needs & FLOW_NEED_INSTRUCTIONS && !flow->silent)
            judge_items_add(&flow->items, (union flow_item){.instruction = block->ip}, FLOW_TAG_INSTRUCTION,
                            block->tsc);
        if (block->branch && block->resolved)
            count_branch(flow, block->end_ip, block->to, block->tsc);
    }
    result->blocks += count;
    if (count == flow->tail.used)
        flow_tail_clear(&flow->tail);
    else
        flow_tail_drop(&flow->tail, count);
}

/* Did the branch consume a TIP? libipt's blocks do not distinguish direct jumps and calls, which consume none. */
static bool took_tip(const struct judge *flow, const struct flow_pending *block)
{
    uint8_t bytes[15];
    uint64_t to;
    size_t size = code_pages_read(flow->input->pages, flow->space, flow->code_at, block->end_ip, bytes, sizeof(bytes));
    return block->branch && block->resolved && size > 0 && !flow_target(&to, bytes, size, block->end_ip, flow->bits);
}

/* How many blocks of the tail a packet proves. */
static size_t count_proven(const struct judge *flow)
{
    size_t count = flow->tail.used;
    while (count > 0 && !flow->tail.blocks[count - 1].proven && !took_tip(flow, &flow->tail.blocks[count - 1]))
        count--;
    return count;
}

static void resolve_last(struct judge *flow, uint64_t ip)
{
    if (flow->tail.used == 0)
        return;
    struct flow_pending *last = &flow->tail.blocks[flow->tail.used - 1];
    if (!last->resolved) {
        last->resolved = true;
        last->to = ip;
    }
}

static void commit_async(struct judge *flow)
{
    struct flow_async *async = &flow->async;
    if (async->pending && async->non_root && flow->non_root)
        count_branch(flow, async->from, async->to, async->tsc);
    async->pending = false;
}

/* Only 16-bit code is expected in segments with a base. at: trace offset after the packet that led there. */
static uint64_t flow_linear(const struct judge *flow, uint64_t at, uint64_t ip)
{
    uint32_t base = 0;
    if (flow->bits != 16 || !flow->input->pages->segments.plain_ips)
        return ip;
    segment_base_after(&base, flow->input, at, INSTRUCTION_16);
    return (uint32_t)(base + ip);
}

enum flow_error flow_take_block(void *context, const struct judge_block *block)
{
    struct judge *flow = context;
    flow->bits = block->bits;
    flow->space = block->space;
    const uint64_t ip = flow_linear(flow, flow->code_at, block->ip);
    commit_async(flow);
    resolve_last(flow, ip);
    if (flow->tail.used > 0 && flow->tail.blocks[flow->tail.used - 1].proven)
        commit_blocks(flow, flow->tail.used);
    if (flow->tail.used > 0 && flow->tail.instructions + block->instructions > FLOW_TAIL_MAX)
        commit_blocks(flow, count_proven(flow));
    if (flow->tail.used > 0 && flow->tail.instructions + block->instructions > FLOW_TAIL_MAX)
        return FLOW_ERROR_LOOP;
    flow_tail_add(&flow->tail, (struct flow_pending){
                                   .ip = ip,
                                   .end_ip = flow_linear(flow, flow->code_at, block->end_ip),
                                   .tsc = block->tsc,
                                   .instructions = block->instructions,
                                   .branch = block->end != FLOW_END_PLAIN,
                                   .proven = block->end == FLOW_END_BRANCH,
                                   .non_root = flow->non_root,
                               });
    return FLOW_OK;
}

static void take_async_branch(struct judge *flow, const struct packet_event *event)
{
    commit_async(flow);
    resolve_last(flow, event->from);
    commit_blocks(flow, flow->tail.used);
    flow->async = (struct flow_async){
        .pending = true, .non_root = flow->non_root, .from = event->from, .to = event->to, .tsc = event->tsc};
}

/* Tracing ends here, so all of the way to here is certain; a branch whose target is not known by now never got one. */
static void take_end(struct judge *flow)
{
    commit_async(flow);
    commit_blocks(flow, flow->tail.used);
}

static void reach_last(struct judge *flow)
{
    if (flow->tail.used > 0)
        flow->tail.blocks[flow->tail.used - 1].proven = true;
}

/* An interrupt or a VM exit to code that is not traced. If the target is known, the paging event after it decides
 * which. Without a target, it may be either. */
static void take_async_disabled(struct judge *flow, const struct packet_event *event)
{
    if (event->to_known) {
        take_async_branch(flow, event);
        return;
    }
    resolve_last(flow, event->from);
    take_end(flow);
}

enum flow_error flow_take_event(void *context, const struct packet_event *ip_event)
{
    struct judge *flow = context;
    struct packet_event linear_event = *ip_event;
    const struct packet_event *event = &linear_event;
    linear_event.from = flow_linear(flow, ip_event->offset, ip_event->from);
    linear_event.to = flow_linear(flow, ip_event->offset, ip_event->to);
    switch (event->kind) {
    case PACKET_EVENT_ENABLED:
        flow_break_off(flow);
        flow->code_at = event->offset;
        break;
    case PACKET_EVENT_DISABLED:
        resolve_last(flow, event->to_known ? event->to : flow_unresolved_target(flow, event->walked_past));
        take_end(flow);
        break;
    case PACKET_EVENT_ASYNC_DISABLED:
        take_async_disabled(flow, event);
        break;
    case PACKET_EVENT_ASYNC_BRANCH:
        take_async_branch(flow, event);
        break;
    case PACKET_EVENT_PAGING:
        commit_async(flow); /* this event does not belong to it */
        reach_last(flow);
        flow->non_root = event->non_root || flow->input->guest_only;
        break;
    case PACKET_EVENT_ASYNC_PAGING:
        flow->non_root = event->non_root || flow->input->guest_only;
        break;
    case PACKET_EVENT_OVERFLOW:
        flow_break_off(flow);
        flow->result->overflows++;
        break;
    case PACKET_EVENT_REACHED:
        reach_last(flow);
        break;
    case PACKET_EVENT_NO_CODE:
        /* The branch to this address is known, only the code at it is not. */
        resolve_last(flow, event->from);
        break;
    }
    return FLOW_OK;
}

/* Execution was at boundary_ip when the next PSB was generated. */
static enum flow_error end_at_boundary(struct judge *flow, uint64_t boundary_ip, enum flow_error walked,
                                       uint64_t walked_ip)
{
    struct flow_tail *tail = &flow->tail;
    if (tail->used == 0)
        return walked_ip == boundary_ip ? FLOW_OK : walked;
    size_t keep = flow_tail_find(tail, count_proven(flow), boundary_ip);
    bool found = keep < tail->used;
    bool again = found && flow_tail_find(tail, keep + 1, boundary_ip) < tail->used;
    /* The block at the boundary may not be readable yet: its page is sent after the PSB. */
    if (!found) {
        const struct flow_pending *last = &tail->blocks[tail->used - 1];
        found = last->branch && last->resolved && last->to == boundary_ip;
    }
    if (!found)
        return walked ? walked : FLOW_ERROR_BOUNDARY;
    commit_blocks(flow, keep);
    return again ? FLOW_ERROR_LOOP : FLOW_OK;
}

enum flow_error flow_end_stretch(struct judge *flow, const struct flow_stretch *stretch, enum flow_error walked,
                                 const struct flow_stop *there)
{
    enum flow_error error = FLOW_OK;
    commit_async(flow);
    if (stretch->ends == FLOW_ENDS_AT_PSB_IP)
        error = end_at_boundary(flow, flow_linear(flow, stretch->end, stretch->boundary_ip), walked,
                                flow_linear(flow, stretch->end, there->ip));
    else if (stretch->ends == FLOW_ENDS_AT_PSB_OFF && there->tracing)
        error = FLOW_ERROR_BOUNDARY;
    else if (stretch->ends == FLOW_ENDS_WITH_TRACE && there->tracing)
        error = FLOW_ERROR_CUT;
    flow_break_off(flow);
    return error;
}

void flow_break_off(struct judge *flow)
{
    commit_async(flow);
    commit_blocks(flow, count_proven(flow));
    flow_tail_clear(&flow->tail);
}
