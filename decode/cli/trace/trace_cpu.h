/* Inside of undertrace trace: one CPU's list, of what is wanted. */
#ifndef DECODE_CLI_TRACE_TRACE_CPU_H
#define DECODE_CLI_TRACE_TRACE_CPU_H

#include "decode/cli/trace/trace_branches.h"
#include "decode/cli/trace/trace_functions.h"
#include "decode/cli/trace/trace_list.h"

/* A list that is being written, batch by batch. */
struct trace_cpu {
    struct trace_list *list;
    struct listing_reader reader;
    struct trace_functions functions; /* of TRACE_FUNCTIONS; else */
    struct trace_branches branches;
    struct stacks *stacks; /* of functions; NULL: none */
    bool ended;
};

/* Begin list->cpu's list, as options say; cpu must stay where it is. false: error says why. trace_cpu_close is needed
 * in both cases. */
bool trace_cpu_open(struct trace_cpu *cpu, struct trace_list *list, struct error *error);
void trace_cpu_close(struct trace_cpu *cpu);

/* List the next batch, or set ended. false: error says why. */
bool trace_cpu_step(struct trace_cpu *cpu, struct error *error);

/* All of it. false: error says why. */
bool trace_cpu(struct trace_list *list, struct error *error);

#endif
