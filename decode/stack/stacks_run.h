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

#define STACKS_RUN_FILE "index.stacks" /* where positions are kept */

/* How far a CPU's trace was taken, between two transfers: what a later run needs to continue there. */
struct stacks_position {
    uint64_t from;                  /* the trace offset from which on it is decoded: a PSB, or the end of a stretch */
    uint64_t taken;                 /* transfers from there on that were taken */
    uint64_t time;                  /* as of struct stream_part */
    uint64_t branches, decode_gaps; /* of all stretches before from */
};

struct stacks_run_cpu {
    uint16_t cpu;
    struct stacks *stacks;
    const struct code_pages *pages;
    struct stacks_position position;
};

/* All CPUs of a run, in its order. */
struct stacks_run_state {
    struct stacks_run_cpu *cpus;
    unsigned nr_cpus;
};

/* Where a run may be continued later, and where it is. Where it is cut depends only on the trace, whether something is
 * kept there or not: stacks_forget_names. */
struct stacks_run_cuts {
    uint64_t every; /* bytes of trace of all CPUs between two cuts, at least; 0: no cuts */
    /* Before the first transfer: may set positions and load stacks. false: error says why. */
    bool (*begin)(void *context, const struct stacks_run_state *state, struct error *error);
    /* So many bytes more than `every` were taken since the last cut, and all stacks can be saved. Returns whether this
     * is a cut. */
    bool (*cut)(void *context, const struct stacks_run_state *state, uint64_t more);
    void *context;
};

struct stacks_run_options {
    unsigned threads; /* 0: one a processor */
    bool one_cpu;     /* only this one: */
    uint16_t cpu;
    uint64_t until;          /* TSC: what comes after the first stretch from then on is left out; 0: nothing is */
    unsigned needs;          /* flags of enum flow_need, in addition to those of stacks */
    bool keep_results;       /* of all stretches, in the run of a CPU; else only of the first with errors */
    flow_progress *progress; /* NULL: none */
    void *progress_context;
    struct stacks_run_cuts cuts;
    uint16_t watched; /* the CPU whose stacks are watched, if watch.after is set */
    struct stacks_watch watch;
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
