/* The report of a capture, also of merged parts. */
#ifndef DECODE_CLI_TEXT_REPORT_TEXT_H
#define DECODE_CLI_TEXT_REPORT_TEXT_H

#include <stdint.h>

#include "decode/cli/options/names_options.h"
#include "decode/report/shards.h"
#include "decode/report/summary.h"

struct report_options {
    const char *capture, *truth, *json, *guest;
    uint64_t threads, image_bytes;
    const char *time; /* NULL: all of the trace */
    struct names_choice names;
    bool named;            /* set by report_make: there are names; without any, the report has no functions */
    struct shards *shards; /* NULL: decode the capture; otherwise the runs are moved out of it */
};

/* Make the report. The caller fills in its figures of summary. Returns the exit status. */
int report_make(struct summary *summary, struct report_options *options);

#endif
