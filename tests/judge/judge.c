/*
 * One stretch of trace at a time: an error costs no more than the stretch, and the stretch's branches are known
 * exactly.
 */
#include "tests/judge/judge.h"

#include <stdlib.h>

#include "decode/flow/flow_packets.h"
#include "decode/truth.h"
#include "tests/judge/flow_state.h"

static void judge_close(void *state);

static void *judge_open(const struct flow_input *input, unsigned needs, struct error *error)
{
    struct judge *flow = calloc(1, sizeof(*flow));
    if (flow)
        flow->tail.blocks = malloc(FLOW_TAIL_MAX * sizeof(struct flow_pending));
    if (!flow || !flow->tail.blocks) {
        error_set(error, ERROR_MEMORY, 0, "a flow decoder");
        free(flow);
        return NULL;
    }
    const struct flow_sink sink = {flow_take_block, flow_take_event, flow, needs & FLOW_NEED_TIME};
    flow->input = input;
    flow->needs = needs;
    flow->ops = &packet_engine_libipt;
    flow->engine = flow->ops->open(input, 0, false, &sink, error);
    if (flow->engine && needs & FLOW_NEED_INSTRUCTIONS)
        flow->single = flow->ops->open(input, 0, true, &sink, error);
    if (flow->engine && (flow->single || !(needs & FLOW_NEED_INSTRUCTIONS)))
        return flow;
    judge_close(flow);
    return NULL;
}

static const struct hot *judge_inferred(const void *state)
{
    const struct judge *flow = state;
    return flow->ops->inferred(flow->engine);
}

static void judge_close(void *state)
{
    struct judge *flow = state;
    if (flow->engine)
        flow->ops->close(flow->engine);
    if (flow->single)
        flow->ops->close(flow->single);
    judge_items_free(&flow->items);
    free(flow->tail.blocks);
    free(flow);
}

/* May the walk past the last packet end with this error? It may have reached code that was never executed, because an
 * exit came first. */
static bool may_end_walk(enum flow_error error)
{
    return error == FLOW_OK || error == FLOW_ERROR_LOOP || error == FLOW_ERROR_NO_CODE ||
           error == FLOW_ERROR_INSTRUCTION;
}

/* The engine has ended with this error, after all packets of the stretch that can be followed. */
static enum flow_error end_run(struct judge *flow, const struct flow_stretch *stretch, const struct flow_stop *stop,
                               enum flow_error error)
{
    if (stop->used_up && may_end_walk(error))
        return flow_end_stretch(flow, stretch, error, stop);
    flow_break_off(flow);
    /* TNT bits may wait for a TIP that is missing, but all pending packets are generated before a PSB. */
    bool to_psb = stretch->ends >= FLOW_ENDS_AT_PSB;
    if (error == FLOW_OK && !to_psb)
        return stretch->ends == FLOW_ENDS_WITH_TRACE ? FLOW_ERROR_CUT : FLOW_OK;
    return error == FLOW_OK ? FLOW_ERROR_LEFT_OVER : error;
}

static void begin_stretch(struct judge *flow, const struct flow_stretch *stretch, struct flow_result *result)
{
    *result = (struct flow_result){
        .begin = stretch->begin, .end = stretch->end, .tsc = stretch->tsc, .hash = TRUTH_HASH_SEED};
    flow->result = result;
    flow->code_at = stretch->begin;
    flow_tail_clear(&flow->tail);
    flow->async.pending = false;
    flow->non_root = true; /* until a PIP: only in user mode, so not in root operation, has a PSB+ none */
}

static void decode_with(struct judge *flow, struct packet_engine *engine, const struct flow_stretch *stretch,
                        const struct flow_packets *packets, struct flow_result *result)
{
    struct flow_stop stop = {.offset = stretch->begin};
    struct flow_stretch followed = *stretch;
    begin_stretch(flow, stretch, result);
    result->packets = packets->count;
    /* If packets end early because one cannot be read, the stretch ends as at a gap. */
    if (packets->error)
        followed.ends = FLOW_ENDS_AT_GAP;
    enum flow_error error = flow->ops->run(engine, stretch->begin, stretch->begin + packets->size, &stop);
    error = end_run(flow, &followed, &stop, error);
    if (error == FLOW_OK && packets->error) {
        error = packets->error;
        stop.offset = stretch->begin + packets->size;
    }
    result->error = error;
    result->error_offset = stop.offset;
    result->error_ip = stop.ip;
    result->error_space = stop.space;
}

/* Decode the same stretch again by single instructions. libipt's decoder by instructions is less strict: it consumes
 * TNT bits and TIPs that follow an event before the event. So the decoder by blocks decides how far to go, and which
 * error there is. But if the next PSB+ gives the IP at the end, instructions are more exact: the IP may be inside a
 * block. */
static void decode_single(struct judge *flow, const struct flow_stretch *stretch, const struct flow_packets *packets,
                          struct flow_result *result)
{
    const struct flow_result blocks = *result;
    const bool to_ip = blocks.error == FLOW_OK && stretch->ends == FLOW_ENDS_AT_PSB_IP;
    flow->bound = to_ip ? NULL : &blocks;
    decode_with(flow, flow->single, stretch, packets, result);
    flow->bound = NULL;
    bool same = result->branches == blocks.branches && result->hash == blocks.hash;
    if (to_ip)
        same = same && result->error == FLOW_OK;
    else
        same = same && result->instructions == blocks.instructions &&
               result->root_instructions == blocks.root_instructions;
    result->error = same || blocks.error ? blocks.error : FLOW_ERROR_DISAGREE;
    result->error_offset = blocks.error_offset;
    result->error_ip = blocks.error_ip;
    result->error_space = blocks.error_space;
}

/* All of the stretch; its batches are pulled afterwards. */
static void judge_begin(void *state, const struct flow_stretch *stretch)
{
    struct judge *flow = state;
    struct flow_result *result = &flow->own_result;
    judge_items_clear(&flow->items);
    const struct flow_packets packets = flow_packets_look(
        flow->input->trace + stretch->begin, stretch->end - stretch->begin, stretch->ends >= FLOW_ENDS_AT_PSB);
    flow->silent = flow->single != NULL;
    decode_with(flow, flow->engine, stretch, &packets, result);
    flow->silent = false;
    if (flow->single)
        decode_single(flow, stretch, &packets, result);
    if (flow->items.no_memory)
        result->error = FLOW_ERROR_MEMORY;
}

static const struct flow_batch *judge_next(void *state)
{
    struct judge *flow = state;
    return judge_items_next(&flow->items, &flow->own_result, flow->input->pages->cpu);
}

const struct flow_ops flow_engine_libipt = {
    .open = judge_open, .begin = judge_begin, .next = judge_next, .close = judge_close, .inferred = judge_inferred};
