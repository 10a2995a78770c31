/* Reads the truth file (decode/truth.h) and compares a decoded trace with it. */
#ifndef DECODE_TRUTH_FILE_H
#define DECODE_TRUTH_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/capture/gaps.h"
#include "decode/engine/flow.h"
#include "decode/truth.h"

/* The truth of one CPU. */
struct truth_cpu {
    unsigned nr_cpus; /* of the file */
    struct truth_checkpoint *checkpoints;
    size_t nr_checkpoints;
    bool ended; /* end is valid: the emulator ended normally */
    struct truth_end end;
};

/* Read the entries of a CPU. A truncated file is accepted up to its last whole entry. false: error says why. */
bool truth_read(struct truth_cpu *truth, const char *file, uint16_t cpu, struct error *error);
void truth_free(struct truth_cpu *truth);

struct truth_difference {
    bool found;
    size_t interval;      /* 0 is before the first PSB */
    uint64_t trace_begin; /* trace offsets of the interval */
    uint64_t trace_end;
    uint64_t expected_branches, branches;
    uint64_t expected_last_to, last_to; /* expected 0: not known */
    enum flow_error error;              /* of the decoder in this stretch */
    uint64_t error_ip;
    bool missing; /* no decoded stretch ends where the truth's interval does */
    bool part;    /* a gap touches the interval, and its decoded branches are not its first ones */
};

struct truth_comparison {
    uint64_t branches; /* of the truth */
    uint64_t matched;  /* in intervals whose count and hash are equal */
    uint64_t intervals, equal_intervals;
    uint64_t in_gaps, branches_in_gaps; /* intervals that gaps touch, which are not compared as a whole */
    uint64_t parts, branches_in_parts;  /* decoded stretches in these intervals */
    uint64_t extra_stretches;           /* decoded stretches that end where no PSB was written */
    struct truth_difference first;
};

/* Add a CPU's comparison; sum->first stays that of the first CPU with a difference. Pure. */
void truth_add(struct truth_comparison *sum, const struct truth_comparison *comparison);

/* Compare interval by interval. results are in the order of the trace; gaps may be NULL. The decoded stretch of an
 * interval that a gap touches must be its first part: it begins with the interval and has at most as many branches; if
 * it has as many, they must be equal. If it has fewer, only a list of all branches can check them (branch_parts.h).
 * Pure. */
void truth_compare(struct truth_comparison *comparison, const struct truth_cpu *truth,
                   const struct flow_result *results, size_t nr_results, const struct gaps *gaps);

#endif
