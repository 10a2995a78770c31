/*
 * Since which trace offset a CPU could execute which versions of code pages. All PAGE and MAP records of the machine
 * are numbered. A CPU's own PAGE, MAP and SEEN records show up to which number the records are valid for it.
 * docs/wire.md. Pure.
 */
#ifndef DECODE_CODE_SEEN_H
#define DECODE_CODE_SEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/capture/capture.h"

struct code_seen_step {
    uint64_t from;   /* trace offset of the CPU */
    uint64_t number; /* from there on, all records up to and including this number are valid */
};

struct code_seen {
    struct code_seen_step *steps; /* both members ascend */
    size_t count;
};

/* The steps of a CPU. false: no memory. */
bool code_seen_collect(struct code_seen *seen, const struct capture *capture, uint16_t cpu);
void code_seen_free(struct code_seen *seen);

/* The trace offset from which on the record with this number is valid for the CPU. false: it never is. Number 0 is
 * valid from the start. */
bool code_seen_from(uint64_t *from, const struct code_seen *seen, uint64_t number);

/* The last trace offset at which the record with this number was certainly not valid yet. */
uint64_t code_seen_before(const struct code_seen *seen, uint64_t number);

#endif
