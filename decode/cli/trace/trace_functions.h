/* For undertrace trace: functions from call stacks. */
#ifndef DECODE_CLI_TRACE_TRACE_FUNCTIONS_H
#define DECODE_CLI_TRACE_TRACE_FUNCTIONS_H

#include "decode/cli/trace/trace_begins.h"
#include "decode/cli/trace/trace_list.h"
#include "decode/stack/stacks.h"

/* State of one CPU. */
struct trace_functions {
    struct trace_list *list;
    bool decoding; /* stacks process events decoded at trace offset at; otherwise the trace has ended */
    uint64_t at;
    struct stacks *stacks;            /* for skipped chunks */
    const struct stack_task *task;    /* the running task; NULL: unknown */
    struct trace_functions_group *of; /* the CPUs on which tasks continue: this one only, */
    struct trace_functions_group {
        uint64_t count; /* tasks in which a selected function has not returned */
        struct trace_functions *first;
        struct trace_begins begins; /* with --returns */
    } single;
    struct trace_functions *next; /* or those of a machine */
};

/* The hooks that write lines into the list; f must not move. */
struct stack_hooks trace_functions_hooks(struct trace_functions *f, struct trace_list *list);

/* Returns what must be decoded for the list of one CPU, and opens its stacks (NULL: out of memory; f->stacks is the
 * same); f must not move. */
struct listing trace_functions_listing(struct trace_functions *f, struct trace_list *list, struct stacks **stacks);

/* Write the lines of the listing's next batch, and those held until its end. false: out of memory. */
void trace_functions_take(struct trace_functions *f, const struct flow_batch *batch);
bool trace_functions_end(struct trace_functions *f);

/* Add another CPU of the same machine, before the first event of either: tasks may continue on it. */
void trace_functions_share(struct trace_functions *f, struct trace_functions *with);

/* After all of them have ended. */
void trace_functions_close(struct trace_functions *f);

/* Is there a task in which a selected function has not returned? */
bool trace_functions_open(const struct trace_functions *f);

#endif
