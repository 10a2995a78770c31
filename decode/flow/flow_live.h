/*
 * Decoding a capture while it is being written: a thread of its own, which reads the directory as any other reader
 * does. It looks again when the capture has grown, but seldom enough that looking costs a tenth of its time at most;
 * what a stretch needs and has not come yet is decoded with the next look.
 */
#ifndef DECODE_FLOW_LIVE_H
#define DECODE_FLOW_LIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/capture/capture.h"

/* What has been decoded so far. */
struct flow_live_cpu {
    uint64_t offset; /* trace offset up to which it is decoded */
    uint64_t branches, errors;
    uint64_t last_to; /* where its last branch led to */
};

struct flow_live_state {
    unsigned nr_cpus;
    struct flow_live_cpu cpus[CAPTURE_MAX_CPUS];
    struct error error; /* of the last look at the capture: why what is left is not decoded */
};

struct flow_live;

/* directory: of a capture that is not there yet, or grows. NULL: no memory, or no thread. */
struct flow_live *flow_live_start(const char *directory);

void flow_live_read(struct flow_live *live, struct flow_live_state *state);

/* The capture is whole: decode what is left, and end. */
void flow_live_finish(struct flow_live *live, struct flow_live_state *state);

#endif
