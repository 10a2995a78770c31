/*
 * Decoding a capture while it is being written: a thread of its own, which reads the directory as any other reader
 * does. It scans the growing capture repeatedly, but rarely enough that opening it takes at most a tenth of the
 * thread's time. A stretch whose code has not arrived yet is tried again in the next scan.
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
    struct error error; /* of the last scan: why the rest of the capture is not decoded */
};

struct flow_live;

/* directory: of a capture that is not there yet, or grows. NULL: no memory, or no thread. */
struct flow_live *flow_live_start(const char *directory);

void flow_live_read(struct flow_live *live, struct flow_live_state *state);

/* The capture is whole: decode what is left, and end. */
void flow_live_finish(struct flow_live *live, struct flow_live_state *state);

#endif
