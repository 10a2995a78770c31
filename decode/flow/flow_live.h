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
#include "decode/engine/batch.h"

/* What has been decoded so far. */
struct flow_live_cpu {
    uint64_t offset; /* trace offset up to which it is decoded */
    uint64_t branches, errors;
    uint64_t last_to; /* where its last branch led to */
};

struct flow_live_state {
    bool done; /* after flow_live_last: all is decoded */
    unsigned nr_cpus;
    struct flow_live_cpu cpus[CAPTURE_MAX_CPUS];
    struct error error; /* of the last scan: why the rest of the capture is not decoded */
};

/* Takes what is decoded, in the thread that decodes. */
struct flow_live_observer {
    unsigned needs; /* flags of enum flow_need */
    /* A batch of a stretch, up to its end. */
    void (*take)(void *context, uint16_t cpu, const struct flow_batch *batch);
    /* The stretch has ended. kept: it counts; else it is decoded again later. */
    void (*settle)(void *context, uint16_t cpu, bool kept);
    void (*scanned)(void *context, bool last); /* after each scan of the capture */
    void *context;
};

struct flow_live;

/* directory: of a capture that is not there yet, or grows. observer: NULL: none; it is copied. NULL: no memory, or no
 * thread. */
struct flow_live *flow_live_start(const char *directory, const struct flow_live_observer *observer);

void flow_live_read(struct flow_live *live, struct flow_live_state *state);

/* The capture is whole: decode what is left. */
void flow_live_last(struct flow_live *live);

/* The same, wait until all is decoded, and end. */
void flow_live_finish(struct flow_live *live, struct flow_live_state *state);

#endif
