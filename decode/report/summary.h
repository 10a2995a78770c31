/*
 * What a report says: the figures of a capture, its decoded flow and the comparison with the truth, of each CPU and
 * added up. Written as text for people and as summary.json.
 */
#ifndef DECODE_SUMMARY_H
#define DECODE_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "decode/capture/capture.h"
#include "decode/capture/exits.h"
#include "decode/check/truth_file.h"
#include "decode/engine/hot.h"
#include "decode/flow/flow_run.h"
#include "decode/report/json.h"
#include "decode/report/timeline.h"

#define SUMMARY_HOTTEST 20u

/* Of a CPU, or of all. */
struct summary_figures {
    uint64_t trace_bytes, gaps, code_pages, mappings;
    struct figure gap_bytes;                             /* known where each gap's size is */
    struct figure regions, pmis, stall_tsc, exits_total; /* of the end record */
    struct exits exits;
    bool received; /* the end record came and no byte is missing */
    bool damaged;  /* the capture is: bytes are not those that were received */
    bool complete; /* received, not damaged, and all of it was decoded */
    /* decoded */
    uint64_t packets, instructions, branches, overflows, undecodable_bytes, inferred;
    struct flow_gaps decode_gaps;
    /* against the truth */
    struct truth_comparison truth; /* of all: first is the first CPU's */
    struct figure guest_instructions, root_instructions;
};

struct summary {
    char *guest;      /* NULL: not known */
    uint64_t tsc_khz; /* 0: not known */
    unsigned cpus;
    struct summary_figures total, *per_cpu; /* cpus of them */
    bool has_truth;
    struct timeline timeline;
    struct hot_entry hottest[SUMMARY_HOTTEST];
    size_t nr_hottest;
    /* as the caller says */
    struct figure image_bytes;
    double seconds_build, seconds_boot, seconds_decode; /* negative: not known */
};

/* What the records say. false: no memory. */
bool summary_take_capture(struct summary *summary, const struct capture *capture);
void summary_free(struct summary *summary);

/* What the decoder found on one CPU. */
void summary_take_run(struct summary *summary, unsigned cpu, const struct flow_run *run);

/* The comparison of one CPU. */
void summary_take_truth(struct summary *summary, unsigned cpu, const struct truth_cpu *truth,
                        const struct truth_comparison *comparison);

/* All CPUs are in: add them up. */
void summary_add_up(struct summary *summary);

/* What is missing, in words, for RESULT_TEXT_SIZE bytes; "complete" where nothing is. */
#define RESULT_TEXT_SIZE 160u
const char *summary_result_text(char *text, const struct summary_figures *figures);

void summary_print(FILE *file, const struct summary *summary);
void summary_print_hottest(FILE *file, const struct summary *summary);

/* The members of an object, without its braces. */
void summary_json(FILE *file, const struct summary *summary);

#endif
