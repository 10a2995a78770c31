/*
 * One stretch of trace at a time: a block decoder of its own, so that an error costs no more than the stretch, and the
 * stretch's branches are known exactly.
 */
#include "decode/flow.h"

#include <intel-pt.h>
#include <stdlib.h>
#include <string.h>

#include "decode/flow_image.h"
#include "decode/flow_tail.h"
#include "decode/message.h"
#include "decode/truth.h"

/* An interrupt or a VM exit: which of both, the paging event behind it tells. */
struct flow_event {
    bool pending;
    bool non_root; /* where it came from */
    uint64_t from, to;
};

struct flow {
    const struct flow_input *input;
    struct pt_cpu cpu;
    struct pt_errata errata;
    struct flow_image image;
    struct flow_tail tail;
    struct flow_event event;
    bool non_root;
    flow_branch branch;
    void *context;
    uint64_t begin; /* of the stretch */
    struct flow_result *result;
};

const char *flow_error_text(int error)
{
    switch (error) {
    case FLOW_ERROR_BOUNDARY:
        return "the flow does not reach the address that the next PSB+ names";
    case FLOW_ERROR_LOOP:
        return "a loop without an end and without a packet";
    case FLOW_ERROR_IMAGE:
        return "a code page could not be used";
    default:
        return pt_errstr(pt_errcode(error));
    }
}

struct flow *flow_start(const struct flow_input *input, uint64_t at, flow_branch branch, void *context)
{
    struct flow *flow = calloc(1, sizeof(*flow));
    if (flow)
        flow->tail.blocks = malloc(FLOW_TAIL_MAX * sizeof(struct flow_block));
    if (!flow || !flow->tail.blocks) {
        message_say("no memory for a flow decoder");
        free(flow);
        return NULL;
    }
    flow->input = input;
    flow->branch = branch;
    flow->context = context;
    if (input->cpu_known)
        flow->cpu = (struct pt_cpu){pcv_intel, input->family, input->model, input->stepping};
    /* A model that libipt does not know has no errata that it knows. */
    if (input->cpu_known && pt_cpu_errata(&flow->errata, &flow->cpu) < 0)
        memset(&flow->errata, 0, sizeof(flow->errata));
    /* Real parts send a FUP in PSB+ while tracing is off (BDM70 and its likes): never an error. */
    flow->errata.bdm70 = 1;
    if (flow_image_init(&flow->image, input->pages, at))
        return flow;
    flow_end(flow);
    return NULL;
}

void flow_end(struct flow *flow)
{
    flow_image_free(&flow->image);
    free(flow->tail.blocks);
    free(flow);
}

static void count_branch(struct flow *flow, uint64_t from, uint64_t to)
{
    struct flow_result *result = flow->result;
    result->branches++;
    result->hash = truth_hash(result->hash, from, to);
    result->last_to = to;
    if (flow->branch)
        flow->branch(flow->context, from, to);
}

/* The first count blocks of the tail did run. */
static void commit(struct flow *flow, size_t count)
{
    struct flow_result *result = flow->result;
    for (size_t i = 0; i < count; i++) {
        const struct flow_block *block = &flow->tail.blocks[i];
        if (!block->non_root) {
            result->root_instructions += block->instructions;
            continue;
        }
        result->instructions += block->instructions;
        if (block->branch && block->resolved)
            count_branch(flow, block->end_ip, block->to);
    }
    result->blocks += count;
    flow->tail.used = 0;
}

/* The tail's last branch leads to ip. */
static void resolve(struct flow *flow, uint64_t ip)
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

static int take_block(struct flow *flow, const struct pt_block *block)
{
    commit_event(flow);
    resolve(flow, block->ip);
    if (flow->tail.used > 0 && flow->tail.blocks[flow->tail.used - 1].proven)
        commit(flow, flow->tail.used);
    if (flow->tail.used == FLOW_TAIL_MAX)
        return FLOW_ERROR_LOOP;
    bool branch = is_branch(block->iclass);
    flow->tail.blocks[flow->tail.used++] = (struct flow_block){
        .ip = block->ip,
        .end_ip = block->end_ip,
        .instructions = block->ninsn,
        .branch = branch,
        /* Jumps and calls may be direct ones, which take no packet. */
        .proven = branch && block->iclass != ptic_call && block->iclass != ptic_jump,
        .non_root = flow->non_root,
    };
    return 0;
}

static void take_async_branch(struct flow *flow, uint64_t from, uint64_t to)
{
    commit_event(flow);
    resolve(flow, from);
    commit(flow, flow->tail.used);
    flow->event = (struct flow_event){.pending = true, .non_root = flow->non_root, .from = from, .to = to};
}

/* Everything before is certain; a branch whose target is not told by now never got one. */
static void take_end(struct flow *flow)
{
    commit_event(flow);
    commit(flow, flow->tail.used);
}

static int take_event(struct flow *flow, const struct pt_event *event, uint64_t offset)
{
    switch (event->type) {
    case ptev_enabled:
        take_end(flow);
        /* Pages are sent between an exit and the next entry, while tracing is off. */
        return flow_image_advance(&flow->image, flow->begin + offset) ? 0 : FLOW_ERROR_IMAGE;
    case ptev_disabled:
        if (!event->ip_suppressed)
            resolve(flow, event->variant.disabled.ip);
        take_end(flow);
        return 0;
    case ptev_async_disabled:
        resolve(flow, event->variant.async_disabled.at);
        take_end(flow);
        return 0;
    case ptev_async_branch:
        take_async_branch(flow, event->variant.async_branch.from, event->variant.async_branch.to);
        return 0;
    case ptev_paging:
        flow->non_root = event->variant.paging.non_root;
        return 0;
    case ptev_async_paging:
        flow->non_root = event->variant.async_paging.non_root;
        return 0;
    case ptev_overflow:
        take_end(flow);
        flow->result->overflows++;
        return 0;
    default:
        return 0;
    }
}

static int take_events(struct flow *flow, struct pt_block_decoder *decoder, int status)
{
    while (status >= 0 && status & pts_event_pending) {
        struct pt_event event;
        uint64_t offset = 0;
        status = pt_blk_event(decoder, &event, sizeof(event));
        if (status < 0)
            break;
        pt_blk_get_offset(decoder, &offset);
        int error = take_event(flow, &event, offset);
        if (error)
            return error;
    }
    return status;
}

/* Decode until the packets end (-pte_eos) or an error. *ip is where the flow stood. */
static int run(struct flow *flow, struct pt_block_decoder *decoder, uint64_t *ip)
{
    int status = pt_blk_sync_set(decoder, 0);
    for (;;) {
        status = take_events(flow, decoder, status);
        if (status < 0)
            return status;
        struct pt_block block;
        status = pt_blk_next(decoder, &block, sizeof(block));
        *ip = block.ninsn > 0 ? block.end_ip : block.ip;
        if (block.ninsn == 0) {
            /* The way here is known, only what stands here is not. */
            if (status == -pte_nomap || status == -pte_bad_insn)
                resolve(flow, block.ip);
            continue;
        }
        int error = take_block(flow, &block);
        if (error)
            return error;
    }
}

/* The packets are used up: drop what belongs behind the PSB. */
static int end_stretch(struct flow *flow, const struct flow_stretch *stretch)
{
    struct flow_tail *tail = &flow->tail;
    commit_event(flow);
    if (!stretch->has_boundary_ip) {
        commit(flow, tail->used);
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
    commit(flow, keep);
    return found || nothing_left ? 0 : FLOW_ERROR_BOUNDARY;
}

void flow_decode(struct flow *flow, const struct flow_stretch *stretch, struct flow_result *result)
{
    struct pt_config config;
    pt_config_init(&config);
    config.begin = (uint8_t *)(uintptr_t)flow->input->trace + stretch->begin;
    config.end = (uint8_t *)(uintptr_t)flow->input->trace + stretch->end;
    config.cpu = flow->cpu;
    config.errata = flow->errata;
    config.flags.variant.block.end_on_call = 1;
    config.flags.variant.block.end_on_jump = 1;
    *result = (struct flow_result){.begin = stretch->begin, .end = stretch->end, .hash = TRUTH_HASH_SEED};
    flow->result = result;
    flow->begin = stretch->begin;
    flow->tail.used = 0;
    flow->event.pending = false;
    flow->non_root = false;
    if (!flow_image_tidy(&flow->image, stretch->begin) || !flow_image_advance(&flow->image, stretch->begin)) {
        result->error = FLOW_ERROR_IMAGE;
        return;
    }
    struct pt_block_decoder *decoder = pt_blk_alloc_decoder(&config);
    if (!decoder || pt_blk_set_image(decoder, flow->image.image) < 0) {
        result->error = -pte_nomem;
        return;
    }
    uint64_t ip = 0, offset = 0;
    int error = run(flow, decoder, &ip);
    pt_blk_get_offset(decoder, &offset);
    bool at_end = stretch->begin + offset == stretch->end;
    if (error == -pte_eos || (error == -pte_nomap && at_end && stretch->has_boundary_ip && ip == stretch->boundary_ip))
        error = end_stretch(flow, stretch);
    else
        commit(flow, flow->tail.used);
    result->error = error;
    result->error_offset = stretch->begin + offset;
    result->error_ip = ip;
    pt_blk_free_decoder(decoder);
}
