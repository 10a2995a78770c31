/* Inside of undertrace trace: functions, as stacks tell of them. */
#ifndef DECODE_CLI_TRACE_FUNCTIONS_H
#define DECODE_CLI_TRACE_FUNCTIONS_H

#include "decode/cli/trace_list.h"
#include "decode/stack/stacks.h"

/* Of a CPU. */
struct trace_functions {
    struct trace_list *list;
    struct flow *flow;     /* that decodes while it is told; NULL: that was before */
    struct stacks *stacks; /* where chunks are left out */
    uint64_t open;         /* tasks in which a wanted function has not returned */
    uint64_t epoch;        /* counts gaps: what tasks know of before is void */
};

/* The hooks that write lines into the list; f must stay where it is. */
struct stack_hooks trace_functions_hooks(struct trace_functions *f, struct trace_list *list);

#endif
