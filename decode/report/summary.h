/*
 * The content of a report: the figures of a capture, its decoded flow and the comparison with the truth, for each CPU
 * and in total. Written as text and as summary.json.
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
#include "decode/flow/blackouts.h"
#include "decode/flow/flow_run.h"
#include "decode/report/json.h"
#include "decode/report/timeline.h"

#define SUMMARY_HOTTEST 20u

/* Figures of one CPU, or of all. */
struct summary_figures {
    uint64_t trace_bytes, gaps, code_pages, mappings;
    struct figure gap_bytes;                             /* known if the size of each gap is */
    struct figure regions, pmis, stall_tsc, exits_total; /* from the end record */
    struct exits exits;
    bool received; /* the end record arrived, and no byte is missing */
    bool damaged;  /* the capture is damaged: bytes differ from those received */
    bool complete; /* received, not damaged, and everything was decoded */
    /* results of decoding */
    uint64_t packets, instructions, branches, overflows, undecodable_bytes, inferred;
    struct flow_gaps decode_gaps;
    /* comparison with the truth */
    struct truth_comparison truth; /* in the total, the first difference is that of the first CPU */
    struct figure guest_instructions, root_instructions;
};

struct summary {
    char *guest;      /* NULL: unknown */
    uint64_t tsc_khz; /* 0: unknown */
    unsigned cpus;
    struct summary_figures total, *per_cpu; /* per_cpu has cpus elements */
    bool has_truth;
    struct timeline timeline;
    struct blackouts blackouts; /* of all CPUs */
    bool blackouts_known;       /* each CPU's packets show them */
    uint64_t first_tsc;         /* of all CPUs; 0: not known. Set by the caller */
    struct hot_entry hottest[SUMMARY_HOTTEST];
    size_t nr_hottest;
    /* given by the caller */
    struct figure image_bytes;
    double seconds_build, seconds_boot, seconds_decode; /* negative: unknown */
};

/* Read the records. false: out of memory. */
bool summary_take_capture(struct summary *summary, const struct capture *capture);
void summary_free(struct summary *summary);

/* Add what the decoder found on one CPU. */
void summary_take_run(struct summary *summary, unsigned cpu, const struct flow_run *run);

/* Add the blackouts of one CPU, from what the decoder found. false: out of memory. */
bool summary_take_blackouts(struct summary *summary, const struct capture *capture, uint16_t cpu,
                            const struct flow_run *run);

/* Add the comparison of one CPU. */
void summary_take_truth(struct summary *summary, unsigned cpu, const struct truth_cpu *truth,
                        const struct truth_comparison *comparison);

/* Call after all CPUs: computes the totals. */
void summary_add_up(struct summary *summary);

/* Describe what is missing, in RESULT_TEXT_SIZE bytes; "complete" if nothing is. */
#define RESULT_TEXT_SIZE 160u
const char *summary_result_text(char *text, const struct summary_figures *figures);

void summary_print(FILE *file, const struct summary *summary);
void summary_print_hottest(FILE *file, const struct summary *summary);

/* Write the members of an object, without braces. */
void summary_json(FILE *file, const struct summary *summary);

#endif
