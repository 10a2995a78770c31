/* For undertrace trace: the filtered list of one CPU. */
#ifndef DECODE_CLI_TRACE_TRACE_CPU_H
#define DECODE_CLI_TRACE_TRACE_CPU_H

#include "decode/cli/trace/trace_branches.h"
#include "decode/cli/trace/trace_functions.h"
#include "decode/cli/trace/trace_list.h"

/* A list that is written batch by batch. */
struct trace_cpu {
    struct trace_list *list;
    struct listing_reader reader;
    struct trace_functions functions; /* of TRACE_FUNCTIONS; otherwise: */
    struct trace_branches branches;
    struct stacks *stacks;          /* for functions; NULL: none */
    const struct flow_batch *batch; /* the one that was pulled last */
};

/* Prepare the list of list->cpu with its options, and set what its listing must decode: the caller may change that
 * before it calls listing_open for cpu->reader. cpu must not move. false: error says why. The caller calls
 * trace_cpu_close in both cases. */
bool trace_cpu_prepare(struct trace_cpu *cpu, struct trace_list *list, struct listing *listing, struct error *error);
void trace_cpu_close(struct trace_cpu *cpu);

/* Pull the next batch. false: the list has ended, or the listing waits. */
bool trace_cpu_pull(struct trace_cpu *cpu);

/* Write the lines of the batch, and those held until the end. false: error says why. */
void trace_cpu_take(struct trace_cpu *cpu);
bool trace_cpu_end(struct trace_cpu *cpu, struct error *error);

/* List everything. false: error says why. */
bool trace_cpu(struct trace_list *list, struct error *error);

#endif
