/* The part of a report that names functions: where branches and time went. */
#ifndef DECODE_CLI_TEXT_REPORT_PROFILE_H
#define DECODE_CLI_TEXT_REPORT_PROFILE_H

#include "decode/capture/capture.h"
#include "decode/cli/options/names_options.h"
#include "decode/profile/profile.h"

struct report_profile {
    struct names *names;
    struct profile profile;
    uint64_t khz; /* of the TSC; 0: the capture does not say, or its trace has no TSC */
};

/* Decode a capture into it. NULL: said why. */
struct report_profile *report_profile_make(struct capture *capture, struct names_wishes *wishes, unsigned threads);

/* What names are known, and the figures, on standard output. */
void report_profile_show(const struct report_profile *made);
void report_profile_free(struct report_profile *made);

#endif
