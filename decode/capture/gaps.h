/*
 * The gaps of a CPU's trace, in order: where bytes or branches are missing, and which stretches of it they touch.
 *
 * A gap of size 0 is a place: tracing paused there or bytes were lost of which nobody knows how many, and the trace
 * goes on at the same offset with a PSB+. docs/capture.md.
 */
#ifndef DECODE_GAPS_H
#define DECODE_GAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/capture/capture.h"

struct gaps {
    struct record_gap *items; /* by at */
    size_t count;
};

/* false: no memory; error says so. */
bool gaps_collect(struct gaps *gaps, const struct capture *capture, uint16_t cpu, struct error *error);
void gaps_free(struct gaps *gaps);

/* A run of trace bytes that is there, between the bytes that gaps of a known size say are missing. */
struct gaps_run {
    uint64_t begin, end;
    size_t next; /* gap to look at */
};

/* The next run of a trace of so many bytes; begin with {0}. false: there is no more. */
bool gaps_next_run(struct gaps_run *run, const struct gaps *gaps, uint64_t size);

/* Is something missing of what was executed between the PSB at begin and the one at end? So it is where a gap begins
 * behind begin and not behind end (what ran in a pause, ran before the PSB that ends it), and where missing bytes reach
 * behind begin. gaps may be NULL. */
bool gaps_touch(const struct gaps *gaps, uint64_t begin, uint64_t end);

#endif
