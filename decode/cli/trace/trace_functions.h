/* Inside of undertrace trace: functions, as stacks tell of them. */
#ifndef DECODE_CLI_TRACE_TRACE_FUNCTIONS_H
#define DECODE_CLI_TRACE_TRACE_FUNCTIONS_H

#include "decode/cli/trace/trace_list.h"
#include "decode/stack/stacks.h"

/* Of a CPU. */
struct trace_functions {
    struct trace_list *list;
    bool decoding; /* stacks take what was decoded at trace offset at; else the trace has ended */
    uint64_t at;
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

/* What is to be decoded for the list of one CPU, whose stacks are opened too (NULL: no memory; f->stacks is the same);
 * f must stay where it is. */
struct listing trace_functions_listing(struct trace_functions *f, struct trace_list *list, struct stacks **stacks);

/* Write the lines of the listing's next batch, and of what is left at its end. false: memory had run out. */
void trace_functions_take(struct trace_functions *f, const struct flow_batch *batch);
bool trace_functions_end(struct trace_functions *f);

/* Another CPU of the same machine, before either is told anything: its tasks go on here as well. */
void trace_functions_share(struct trace_functions *f, struct trace_functions *with);

/* Is there a task in which a wanted function has not returned? */
bool trace_functions_open(const struct trace_functions *f);

#endif
