/* The answers of `undertrace find`, as text and as JSON. */
#ifndef DECODE_CLI_TEXT_FIND_TEXT_H
#define DECODE_CLI_TEXT_FIND_TEXT_H

#include <stdbool.h>

#include "decode/cli/text/source_line.h"
#include "decode/query/indexed_capture.h"
#include "decode/query/occurrence.h"

struct find_listing {
    const struct indexed_capture *indexed;
    struct source_lines *sources; /* NULL: without --srcline */
    bool json;
};

/* Print when and how often the code was executed, on standard output. what: its description. */
void find_print(const struct find_listing *listing, const char *what, const struct occurrence *o);

#endif
