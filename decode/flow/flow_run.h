/*
 * A CPU's whole trace: cut at its PSBs into stretches, decoded by several threads, the results in order.
 */
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
#include "decode/flow/flow_text.h"
#include "decode/flow/flow_trace.h"

/* Called some times a second with what part of the work is done, 0 to 1, and at its end with 1. */
typedef void flow_progress(void *context, double done);

struct flow_run_options {
    uint16_t cpu;
    unsigned threads;             /* 0: as many as there are processors */
    struct flow_hooks hooks;      /* called by one thread at a time, in the order of the trace */
    const struct flow_text *text; /* lists, beside the hooks; NULL: none */
    uint32_t part, nr_parts;      /* this part of the trace: flow_part. 0: all of it */
    uint64_t from, to;            /* only what begins in these trace offsets; to 0: up to its end. Not with a part */
    bool count_targets;
    bool sums_only;          /* of the results, the first with errors must do: memory does not grow with the trace */
    bool hashed;             /* results have the hash of their branches */
    flow_progress *progress; /* NULL: nobody wants to know */
    void *progress_context;
};

struct flow_run {
    struct flow_result *results; /* one a stretch, in order; or as sums_only says */
    size_t nr_results;
    struct gaps gaps; /* of the CPU */
    struct flow_lost lost;
    struct hot targets;  /* branch targets, where asked for */
    struct hot inferred; /* pages of address spaces that were needed, and of which no record says what they are */
    double seconds;
    /* sums over the results */
    uint64_t stretches, branches, instructions, root_instructions, blocks, packets, overflows;
    struct flow_gaps decode_gaps;
};

/* Decode the trace of a CPU. false: it could not even be begun; error says why. Errors inside of the trace are in the
 * results.
 */
bool flow_run(struct flow_run *run, const struct capture *capture, const struct flow_run_options *options,
              struct error *error);

/* The same of a trace that is open already; its gaps and what was lost go over to run. */
struct flow_trace;
bool flow_run_trace(struct flow_run *run, struct flow_trace *trace, const struct flow_run_options *options,
                    struct error *error);
void flow_run_free(struct flow_run *run);

/* Add to the sums: a result; all of its results, and what is lost. */
void flow_run_add(struct flow_run *run, const struct flow_result *result);
void flow_run_sum(struct flow_run *run);

#endif
