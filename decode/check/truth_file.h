/* Reading the truth file (decode/truth.h) and comparing a decoded trace with it. */
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
    unsigned nr_cpus; /* that the file is of */
    struct truth_checkpoint *checkpoints;
    size_t nr_checkpoints;
    bool ended; /* end is there: the emulator came to its end */
    struct truth_end end;
};

/* Read a CPU's part of the file. A file that was cut off is good as far as it goes. false: error says why. */
bool truth_read(struct truth_cpu *truth, const char *file, uint16_t cpu, struct error *error);
void truth_free(struct truth_cpu *truth);

/* Branches that the truth knows of. */
uint64_t truth_branches(const struct truth_cpu *truth);

struct truth_difference {
    bool found;
    size_t interval;      /* counted from 0: before the first PSB */
    uint64_t trace_begin; /* trace offsets of the interval */
    uint64_t trace_end;
    uint64_t expected_branches, branches;
    uint64_t expected_last_to, last_to; /* expected 0: not known */
    enum flow_error error;              /* of the decoder in this stretch */
    uint64_t error_ip;
    bool missing; /* the decoder has no stretch that ends where the truth's interval does */
    bool part;    /* a gap touches the interval: what was decoded of it are not its first branches */
};

struct truth_comparison {
    uint64_t branches; /* that the truth knows of */
    uint64_t matched;  /* in intervals whose count and hash are equal */
    uint64_t intervals, equal_intervals;
    uint64_t in_gaps, branches_in_gaps; /* intervals that gaps touch, and their branches: not compared as a whole */
    uint64_t parts, branches_in_parts;  /* stretches that were decoded of these, and branches in them */
    uint64_t extra_stretches;           /* decoded ones that end where no PSB was written */
    struct truth_difference first;
};

/* Add a CPU's comparison; first stays the first CPU's. Pure. */
void truth_add(struct truth_comparison *sum, const struct truth_comparison *comparison);

/* Compare interval by interval. results are in the order of the trace; gaps may be NULL. What was decoded of an
 * interval that a gap touches must be its first part: it begins with the interval, has no more branches, and where it
 * has as many, the same. Whether fewer ones are the first, only a list of all branches tells (branch_parts.h). Pure. */
void truth_compare(struct truth_comparison *comparison, const struct truth_cpu *truth,
                   const struct flow_result *results, size_t nr_results, const struct gaps *gaps);

#endif
