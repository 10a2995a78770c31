/*
 * The stacks of a whole capture: the traces of its CPUs are decoded, and their transfers taken in one order of time,
 * since a task that leaves one CPU may continue on another.
 */
#ifndef DECODE_STACKS_RUN_H
#define DECODE_STACKS_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/capture/capture.h"
#include "decode/flow/flow_run.h"
#include "decode/stack/stacks.h"

struct stacks_run_options {
    unsigned threads; /* 0: one a processor */
    bool one_cpu;     /* only this one: */
    uint16_t cpu;
    uint64_t until;          /* TSC: what comes after the first stretch from then on is left out; 0: nothing is */
    unsigned needs;          /* flags of enum flow_need, in addition to those of stacks */
    bool keep_results;       /* of all stretches, in the run of a CPU; else only of the first with errors */
    flow_progress *progress; /* NULL: none */
    void *progress_context;
};

/* Called for each CPU with a trace, before the first transfer: returns the hooks of its stacks. */
typedef struct stack_hooks stacks_run_hooks(void *context, uint16_t cpu);

/* What became of each CPU's trace, after all have been decoded; NULL: not needed. The run, which has no seconds, is
 * freed after the call. */
typedef void stacks_run_decoded(void *context, uint16_t cpu, const struct flow_run *run);

/* All hooks of all CPUs are called by the calling thread. false: error says why. */
bool stacks_run(const struct capture *capture, struct names *names, const struct stacks_run_options *options,
                stacks_run_hooks *hooks, stacks_run_decoded *decoded, void *context, struct error *error);

#endif
