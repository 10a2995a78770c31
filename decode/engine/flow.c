#include "decode/engine/flow.h"

#include <stdlib.h>

struct flow {
    const struct flow_ops *ops;
    void *state;
};

static const struct flow_ops *flow_ops_used = &flow_engine_own;

void flow_use(const struct flow_ops *ops)
{
    flow_ops_used = ops;
}

struct flow *flow_start(const struct flow_input *input, unsigned needs, struct error *error)
{
    struct flow *flow = malloc(sizeof(*flow));
    if (!flow) {
        error_set(error, ERROR_MEMORY, 0, "a flow engine");
        return NULL;
    }
    *flow = (struct flow){flow_ops_used, flow_ops_used->open(input, needs, error)};
    if (flow->state)
        return flow;
    free(flow);
    return NULL;
}

void flow_end(struct flow *flow)
{
    flow->ops->close(flow->state);
    free(flow);
}

const struct hot *flow_inferred(const struct flow *flow)
{
    return flow->ops->inferred(flow->state);
}

void flow_begin(struct flow *flow, const struct flow_stretch *stretch)
{
    flow->ops->begin(flow->state, stretch);
}

const struct flow_batch *flow_next(struct flow *flow)
{
    return flow->ops->next(flow->state);
}
