/*
 * What a report says: the figures of a capture, its decoded flow and the comparison with the truth, added up over the
 * CPUs. Written as text for people and as summary.json.
 */
#ifndef DECODE_SUMMARY_H
#define DECODE_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "decode/capture/capture.h"
#include "decode/check/truth_file.h"
#include "decode/code/symbols.h"
#include "decode/flow/flow_run.h"
#include "decode/flow/hot.h"
#include "decode/report/json.h"

#define SUMMARY_HOTTEST 20u

struct summary {
    char *guest; /* NULL: not known */
    unsigned cpus;
    bool complete; /* the end record came and no byte is missing */
    uint64_t trace_bytes, gaps, code_pages;
    struct figure gap_bytes;                       /* known where each gap's size is */
    struct figure regions, pmis, stall_tsc, exits; /* of the end record */
    struct record_text end;
    /* decoded */
    uint64_t packets, instructions, branches, decode_errors, overflows, undecodable_bytes;
    struct hot_entry hottest[SUMMARY_HOTTEST];
    size_t nr_hottest;
    /* against the truth */
    bool has_truth;
    struct truth_comparison truth; /* of all CPUs; first is the first one's */
    struct figure guest_instructions, root_instructions;
    /* told by the caller */
    struct figure image_bytes;
    double seconds_build, seconds_boot, seconds_decode; /* negative: not known */
};

/* What the records say. */
void summary_take_capture(struct summary *summary, const struct capture *capture);

/* What the decoder found on one CPU. */
void summary_take_run(struct summary *summary, const struct flow_run *run);

/* The comparison of one CPU. */
void summary_take_truth(struct summary *summary, const struct truth_cpu *truth, const struct truth_comparison *c);

void summary_print(FILE *file, const struct summary *summary, const struct symbols *symbols);
void summary_json(FILE *file, const struct summary *summary);

#endif
