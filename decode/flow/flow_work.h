/* Decoding the stretches of a trace with several threads. */
#ifndef DECODE_FLOW_WORK_H
#define DECODE_FLOW_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/engine/flow.h"
#include "decode/engine/hot.h"

/* Called some times a second with what part of the work is done, 0 to 1, and at its end with 1. */
typedef void flow_progress(void *context, double done);

struct flow_work {
    const struct flow_input *input;
    const struct flow_stretch *stretches;
    struct flow_result *results; /* one a stretch */
    size_t count;
    unsigned threads;        /* at least 1 */
    struct flow_hooks hooks; /* with one thread only */
    bool count_targets;
    flow_progress *progress; /* NULL: nobody wants to know */
    void *progress_context;
    /* filled in: */
    struct hot targets, inferred; /* inferred: flow_inferred of all parts */
};

/* false: a decoder could not be set up; error says why. */
bool flow_work(struct flow_work *work, struct error *error);

#endif
