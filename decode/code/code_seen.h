/*
 * Which versions of code pages a CPU could run, and from where in its trace on. All PAGE and MAP records of the machine
 * are numbered; a CPU's own PAGE, MAP and SEEN records say up to which number it runs what they say. docs/wire.md.
 * Pure.
 */
#ifndef DECODE_CODE_SEEN_H
#define DECODE_CODE_SEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/capture/capture.h"

struct code_seen_step {
    uint64_t from;   /* trace offset of the CPU */
    uint64_t number; /* from there on it runs what pages up to and with this number say */
};

struct code_seen {
    struct code_seen_step *steps; /* both members rise */
    size_t count;
};

/* The steps of a CPU. false: no memory. */
bool code_seen_collect(struct code_seen *seen, const struct capture *capture, uint16_t cpu);
void code_seen_free(struct code_seen *seen);

/* From where on the CPU could run the page of this number. false: nowhere in its trace. Number 0 holds from the start.
 */
bool code_seen_from(uint64_t *from, const struct code_seen *seen, uint64_t number);

/* The last place in the CPU's trace of which is known that this number was not there yet. */
uint64_t code_seen_before(const struct code_seen *seen, uint64_t number);

#endif
