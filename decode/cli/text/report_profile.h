/* The part of a report with names: where branches and time went. */
#ifndef DECODE_CLI_TEXT_REPORT_PROFILE_H
#define DECODE_CLI_TEXT_REPORT_PROFILE_H

#include "decode/capture/capture.h"
#include "decode/cli/options/names_options.h"
#include "decode/flow/flow_run.h"
#include "decode/flow/precision.h"
#include "decode/profile/profile.h"

struct report_profile {
    struct names *names;
    struct profile profile;
    uint64_t khz;   /* of the TSC; 0: unknown, or the trace has no TSC */
    double seconds; /* that decoding took */
    struct precision precision;
};

/* Takes what became of each CPU's trace. take: NULL: not needed. */
struct report_decoded {
    void (*take)(void *context, uint16_t cpu, const struct flow_run *flow);
    void *context;
    unsigned needs; /* flags of enum flow_need */
};

/* Decode a capture. NULL: a message says why. */
struct report_profile *report_profile_make(struct capture *capture, struct names_choice *choice, unsigned threads,
                                           const struct report_decoded *decoded);

/* Print the sources of names, and the tables, on standard output. */
void report_profile_show(const struct report_profile *made);
void report_profile_free(struct report_profile *made);

#endif
