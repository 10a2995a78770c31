/*
 * One stretch of trace at a time: an error costs no more than the stretch, and the stretch's branches are known
 * exactly.
 */
#include "decode/flow/flow.h"

#include <stdlib.h>

#include "decode/flow/flow_state.h"
#include "decode/truth.h"

struct flow *flow_start(const struct flow_input *input, uint64_t at, const struct flow_hooks *hooks,
                        struct error *error)
{
    struct flow *flow = calloc(1, sizeof(*flow));
    if (flow)
        flow->tail.blocks = malloc(FLOW_TAIL_MAX * sizeof(struct flow_pending));
    if (!flow || !flow->tail.blocks) {
        error_set(error, ERROR_MEMORY, 0, "a flow decoder");
        free(flow);
        return NULL;
    }
    const struct flow_sink sink = {flow_take_block, flow_take_event, flow};
    flow->input = input;
    flow->hooks = *hooks;
    flow->ops = &flow_engine_libipt;
    flow->engine = flow->ops->open(input, at, hooks->instruction != NULL, &sink, error);
    if (flow->engine)
        return flow;
    flow_end(flow);
    return NULL;
}

const struct hot *flow_inferred(const struct flow *flow)
{
    return flow->ops->inferred(flow->engine);
}

void flow_end(struct flow *flow)
{
    if (flow->engine)
        flow->ops->close(flow->engine);
    free(flow->tail.blocks);
    free(flow);
}

void flow_decode(struct flow *flow, const struct flow_stretch *stretch, struct flow_result *result)
{
    struct flow_stop stop = {.offset = stretch->begin};
    *result = (struct flow_result){
        .begin = stretch->begin, .end = stretch->end, .tsc = stretch->tsc, .hash = TRUTH_HASH_SEED};
    flow->result = result;
    flow->code_at = stretch->begin;
    flow->tail.used = 0;
    flow->async.pending = false;
    flow->non_root = true; /* root runs at privilege level 0: where that is traced, the PSB+ of root has a PIP */
    enum flow_error error = flow->ops->run(flow->engine, stretch->begin, stretch->end, &stop);
    bool all_read = stretch->has_boundary_ip && stop.offset == stretch->end;
    /* The block at the boundary may be one that cannot be read yet. */
    bool at_boundary = error == FLOW_ERROR_NO_CODE && all_read && stop.ip == stretch->boundary_ip;
    /* Behind the last packet the way may lead into a loop that needs none, because an exit ended it: the PSB+ knows. */
    bool beyond = error == FLOW_ERROR_LOOP && all_read;
    if (error == FLOW_OK || at_boundary || beyond)
        error = flow_end_stretch(flow, stretch);
    else
        flow_break_off(flow);
    result->error = error;
    result->error_offset = stop.offset;
    result->error_ip = stop.ip;
    result->error_space = stop.space;
}
