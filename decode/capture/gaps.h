/*
 * The gaps of a CPU's trace, in order: where bytes or branches are missing, and which stretches they touch.
 *
 * A gap of size 0 is a point: tracing paused there, or an unknown number of bytes was lost, and the trace continues at
 * the same offset with a PSB+. docs/capture.md.
 */
#ifndef DECODE_GAPS_H
#define DECODE_GAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/capture/capture.h"

struct gaps {
    struct record_gap *items; /* sorted by at */
    size_t count;
};

/* false: out of memory, and error is set. */
bool gaps_collect(struct gaps *gaps, const struct capture *capture, uint16_t cpu, struct error *error);
void gaps_free(struct gaps *gaps);

/* A run of trace bytes that are present, between gaps with a size. */
struct gaps_run {
    uint64_t begin, end;
    size_t next; /* index of the next gap */
};

/* The next run of a trace of size bytes; start with {0}. false: no more. */
bool gaps_next_run(struct gaps_run *run, const struct gaps *gaps, uint64_t size);

/* Is anything missing of the execution between the PSB at begin and the one at end? That is so if a gap begins in
 * (begin, end], as code that ran in a pause ran before the PSB that ends the pause, or if missing bytes extend past
 * begin. gaps may be NULL. */
bool gaps_touch(const struct gaps *gaps, uint64_t begin, uint64_t end);

#endif
