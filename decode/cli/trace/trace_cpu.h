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
    struct stacks *stacks; /* for functions; NULL: none */
    bool ended;
};

/* Begin the list of list->cpu with its options; cpu must not move. false: error says why. The caller calls
 * trace_cpu_close in both cases. */
bool trace_cpu_open(struct trace_cpu *cpu, struct trace_list *list, struct error *error);
void trace_cpu_close(struct trace_cpu *cpu);

/* List the next batch, or set ended. false: error says why. */
bool trace_cpu_step(struct trace_cpu *cpu, struct error *error);

/* List everything. false: error says why. */
bool trace_cpu(struct trace_list *list, struct error *error);

#endif
