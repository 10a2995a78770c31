/*
 * RECORD_SEGMENT: the base of the code segment that a CPU executes in, which packets do not contain. Pure.
 */
#ifndef DECODE_CODE_SEGMENTS_H
#define DECODE_CODE_SEGMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/capture/capture.h"

struct code_segment {
    uint64_t from; /* trace offset from which on it holds */
    uint32_t base;
    bool stepped; /* until the next one base is certain; else the segment is assumed to be flat */
    bool loaded;  /* the hypervisor changed it at this VM exit */
    bool sole;    /* since the one before, code that was not flat had this base too */
};

struct code_segments {
    struct code_segment *list; /* by rising offset */
    size_t count;
    bool recorded;  /* a hypervisor watched the segments. false: all code is taken for flat */
    bool plain_ips; /* IP packets contain IPs, not linear addresses (CPUID.14H:ECX[31] = 0) */
};

/* Collect those of one CPU. A capture without such records is older than they are; then PAGE records have the base.
 * false: no memory. */
bool code_segments_collect(struct code_segments *segments, const struct capture *capture, uint16_t cpu);
void code_segments_free(struct code_segments *segments);

/* The segment at a trace offset. */
struct code_segment code_segments_at(const struct code_segments *segments, uint64_t at);

/* The first one after an offset. NULL: there is none. */
const struct code_segment *code_segments_after(const struct code_segments *segments, uint64_t at);

#endif
