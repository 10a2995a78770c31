/* The report of a capture, wherever it was decoded. */
#ifndef DECODE_REPORT_TEXT_H
#define DECODE_REPORT_TEXT_H

#include <stdint.h>

#include "decode/report/shards.h"
#include "decode/report/summary.h"

struct report_wishes {
    const char *capture, *truth, *json, *symbols, *guest;
    uint64_t threads, image_bytes;
    struct shards *shards; /* NULL: it is to be decoded; else the runs are taken out of there */
};

/* Make it; the summary has what its caller knows. Returns the exit status. */
int report_make(struct summary *summary, const struct report_wishes *wishes);

#endif
