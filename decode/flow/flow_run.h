/* The trace of a CPU, decoded in parallel and pulled in its order, with what it adds up to. */
#ifndef DECODE_FLOW_RUN_H
#define DECODE_FLOW_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/capture/capture.h"
#include "decode/capture/gaps.h"
#include "decode/engine/flow.h"
#include "decode/engine/hot.h"
#include "decode/flow/flow_gaps.h"
#include "decode/flow/flow_trace.h"
#include "decode/flow/stream.h"

struct flow_run_options {
    uint16_t cpu;
    unsigned threads;        /* 0: as many as there are processors */
    unsigned needs;          /* flags of enum flow_need */
    uint32_t part, nr_parts; /* this part of the trace: flow_part. 0: all of it */
    uint64_t from, to;       /* only what begins in these trace offsets; to 0: up to its end. Not with a part */
    bool count_targets;      /* of branches; these are then not delivered */
    bool sums_only;          /* keep only the first results with errors: memory does not grow with the trace */
    /* As of struct stream_options: items become text. */
    size_t (*format)(void *context, unsigned list, char *text, const struct flow_batch *batch);
    unsigned nr_lists;
    void *context;
    flow_progress *progress; /* NULL: none */
    void *progress_context;
};

struct flow_run {
    struct flow_result *results; /* one a stretch, in order; or as sums_only says */
    size_t nr_results, results_room;
    struct gaps gaps; /* of the CPU */
    struct flow_lost lost;
    struct flow_span *dark; /* stretches with blackouts */
    size_t nr_dark, dark_room;
    struct hot targets;  /* branch targets, with count_targets */
    struct hot inferred; /* pages that were needed and whose address space is in no record */
    double seconds;
    /* sums over the results */
    uint64_t stretches, branches, instructions, root_instructions, blocks, packets, overflows;
    struct flow_gaps decode_gaps;
};

/* Decode the trace of a CPU. false: it could not even be begun; error says why. Errors inside of the trace are in the
 * results. */
bool flow_run(struct flow_run *run, const struct capture *capture, const struct flow_run_options *options,
              struct error *error);

/* The same of a trace that is open already; its gaps go over to run. */
bool flow_run_trace(struct flow_run *run, struct flow_trace *trace, const struct flow_run_options *options,
                    struct error *error);
void flow_run_free(struct flow_run *run);

/* The same, by a consumer that pulls: flow_run_trace is all of these. */
struct flow_pull {
    struct flow_run *run;
    struct flow_trace *trace;
    struct flow_run_options options;
    struct stream *stream;
    struct hot *targets; /* of each worker; NULL: not counted */
    unsigned nr_workers;
    bool no_memory;
    double start;
};

/* false: error says why. */
bool flow_pull_open(struct flow_pull *pull, struct flow_run *run, struct flow_trace *trace,
                    const struct flow_run_options *options, struct error *error);

/* The next batch; the run has its result, or what is lost, by then. NULL: there is none. */
const struct flow_batch *flow_pull_next(struct flow_pull *pull);

/* Needed after flow_pull_open has succeeded, at whichever batch. false: error says why. */
bool flow_pull_close(struct flow_pull *pull, struct error *error);

/* Add to the sums: a result, or what is lost. */
void flow_run_add(struct flow_run *run, const struct flow_result *result);
void flow_run_add_lost(struct flow_run *run, struct flow_span span);

/* Keep the batch's result, if it is one worth keeping, or what is lost, and add it to the sums. false: no memory. */
bool flow_run_take(struct flow_run *run, const struct flow_batch *batch, bool sums_only);

/* Add all of its results, and what is lost, to the sums. */
void flow_run_sum(struct flow_run *run);

#endif
