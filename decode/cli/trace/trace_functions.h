/* Inside of undertrace trace: functions, as stacks tell of them. */
#ifndef DECODE_CLI_TRACE_TRACE_FUNCTIONS_H
#define DECODE_CLI_TRACE_TRACE_FUNCTIONS_H

#include "decode/cli/trace/trace_list.h"
#include "decode/stack/stacks.h"

/* Of a CPU. */
struct trace_functions {
    struct trace_list *list;
    struct flow *flow;                /* that decodes while it is told; NULL: that was before */
    struct stacks *stacks;            /* where chunks are left out */
    const struct stack_task *task;    /* that runs; NULL: not known */
    struct trace_functions_group *of; /* the CPUs that tasks go on on: this one alone, */
    struct trace_functions_group {
        uint64_t count; /* tasks in which a wanted function has not returned */
        struct trace_functions *first;
    } alone;
    struct trace_functions *next; /* or a machine's */
};

/* The hooks that write lines into the list; f must stay where it is. */
struct stack_hooks trace_functions_hooks(struct trace_functions *f, struct trace_list *list);

/* Another CPU of the same machine, before either is told anything: its tasks go on here as well. */
void trace_functions_share(struct trace_functions *f, struct trace_functions *with);

/* Is there a task in which a wanted function has not returned? */
bool trace_functions_open(const struct trace_functions *f);

#endif
