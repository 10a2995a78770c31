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

struct flow *flow_start(const struct flow_input *input, const struct flow_hooks *hooks, struct error *error)
{
    struct flow *flow = malloc(sizeof(*flow));
    if (!flow) {
        error_set(error, ERROR_MEMORY, 0, "a flow engine");
        return NULL;
    }
    *flow = (struct flow){flow_ops_used, flow_ops_used->open(input, hooks, error)};
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

void flow_decode(struct flow *flow, const struct flow_stretch *stretch, struct flow_result *result)
{
    flow_begin(flow, stretch, result);
    while (flow_go_on(flow))
        ;
}

void flow_begin(struct flow *flow, const struct flow_stretch *stretch, struct flow_result *result)
{
    flow->ops->begin(flow->state, stretch, result);
}

bool flow_go_on(struct flow *flow)
{
    return flow->ops->go_on && flow->ops->go_on(flow->state);
}

struct flow_context flow_context(const struct flow *flow)
{
    if (flow->ops->context)
        return flow->ops->context(flow->state);
    return (struct flow_context){.cr3 = FLOW_CR3_UNKNOWN, .tsc_error = FLOW_TSC_ERROR_UNKNOWN};
}
