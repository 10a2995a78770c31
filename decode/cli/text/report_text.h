/* The report of a capture, wherever it was decoded. */
#ifndef DECODE_CLI_TEXT_REPORT_TEXT_H
#define DECODE_CLI_TEXT_REPORT_TEXT_H

#include <stdint.h>

#include "decode/cli/options/names_options.h"
#include "decode/report/shards.h"
#include "decode/report/summary.h"

struct report_wishes {
    const char *capture, *truth, *json, *guest;
    uint64_t threads, image_bytes;
    struct names_wishes names; /* none: functions are not told of */
    struct shards *shards;     /* NULL: it is to be decoded; else the runs are taken out of there */
};

/* Make it; the summary has what its caller knows. Returns the exit status. */
int report_make(struct summary *summary, struct report_wishes *wishes);

#endif
