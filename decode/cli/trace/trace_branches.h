/* For undertrace trace: branches and instructions. */
#ifndef DECODE_CLI_TRACE_TRACE_BRANCHES_H
#define DECODE_CLI_TRACE_TRACE_BRANCHES_H

#include "decode/cli/trace/trace_list.h"
#include "decode/query/gate.h"

/* State of one CPU. */
struct trace_branches {
    struct trace_list *list;
    struct gate gate; /* --function */
    uint64_t tsc;     /* never decreases */
};

/* Returns what must be decoded for the list; b must not move. */
struct listing trace_branches_listing(struct trace_branches *b, struct trace_list *list);

/* Write the lines of the listing's next batch. */
void trace_branches_take(struct trace_branches *b, const struct flow_batch *batch);

#endif
