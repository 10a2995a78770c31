/*
 * One stretch of trace at a time: a block decoder of its own, so that an error costs no more than the stretch, and the
 * stretch's branches are known exactly.
 */
#include "decode/flow/flow.h"

#include <stdlib.h>
#include <string.h>

#include "decode/check/truth.h"
#include "decode/cli/message.h"
#include "decode/flow/flow_state.h"

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

struct flow *flow_start(const struct flow_input *input, uint64_t at, const struct flow_hooks *hooks)
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
    flow->hooks = *hooks;
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

static int take_events(struct flow *flow, struct pt_block_decoder *decoder, int status)
{
    while (status >= 0 && status & pts_event_pending) {
        struct pt_event event;
        uint64_t offset = 0;
        status = pt_blk_event(decoder, &event, sizeof(event));
        if (status < 0)
            break;
        pt_blk_get_offset(decoder, &offset);
        int error = flow_take_event(flow, &event, offset);
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
                flow_resolve(flow, block.ip);
            continue;
        }
        flow_set_mode(flow, block.mode);
        int error = flow_take_block(flow, block.ip, block.end_ip, block.ninsn, block.iclass);
        if (error)
            return error;
    }
}

static int run_blocks(struct flow *flow, const struct pt_config *config, uint64_t *ip, uint64_t *offset)
{
    struct pt_block_decoder *decoder = pt_blk_alloc_decoder(config);
    if (!decoder)
        return -pte_nomem;
    int error = pt_blk_set_image(decoder, flow->image.image);
    if (error >= 0)
        error = run(flow, decoder, ip);
    pt_blk_get_offset(decoder, offset);
    pt_blk_free_decoder(decoder);
    return error;
}

int flow_run_packets(struct flow *flow, const struct pt_config *config, uint64_t *ip, uint64_t *offset)
{
    struct pt_config mine = *config;
    mine.cpu = flow->cpu;
    mine.errata = flow->errata;
    mine.flags.variant.block.end_on_call = 1;
    mine.flags.variant.block.end_on_jump = 1;
    return flow->hooks.instruction ? flow_run_instructions(flow, &mine, ip, offset)
                                   : run_blocks(flow, &mine, ip, offset);
}

void flow_decode(struct flow *flow, const struct flow_stretch *stretch, struct flow_result *result)
{
    struct pt_config config;
    pt_config_init(&config);
    config.begin = (uint8_t *)(uintptr_t)flow->input->trace + stretch->begin;
    config.end = (uint8_t *)(uintptr_t)flow->input->trace + stretch->end;
    *result = (struct flow_result){.begin = stretch->begin, .end = stretch->end, .hash = TRUTH_HASH_SEED};
    flow->result = result;
    flow->begin = stretch->begin;
    flow->tail.used = 0;
    flow->event.pending = flow->paged = false;
    flow->non_root = true; /* root runs at privilege level 0: where that is traced, the PSB+ of root has a PIP */
    uint64_t ip = 0, offset = 0;
    int error = FLOW_ERROR_IMAGE;
    if (flow_image_tidy(&flow->image, stretch->begin) && flow_image_advance(&flow->image, stretch->begin))
        error = flow_run_packets(flow, &config, &ip, &offset);
    bool at_boundary =
        stretch->has_boundary_ip && ip == stretch->boundary_ip && offset == stretch->end - stretch->begin;
    /* Behind the last packet the way may lead into a loop that needs none, because an exit ended it: the PSB+ knows. */
    bool beyond = error == FLOW_ERROR_LOOP && stretch->has_boundary_ip && offset == stretch->end - stretch->begin;
    if (error == -pte_eos || beyond || (error == -pte_nomap && at_boundary))
        error = flow_end_stretch(flow, stretch);
    else
        flow_break_off(flow);
    result->error = error;
    result->error_offset = stretch->begin + offset;
    result->error_ip = ip;
}
