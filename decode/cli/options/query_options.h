/* Shared by the commands that query a capture: trace, find, code, diff. */
#ifndef DECODE_CLI_OPTIONS_QUERY_OPTIONS_H
#define DECODE_CLI_OPTIONS_QUERY_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/cli/arguments.h"
#include "decode/cli/options/names_options.h"
#include "decode/query/indexed_capture.h"

/* The options that all of them have. */
struct query_options {
    struct names_choice names;
    uint64_t threads;
    bool no_index;
};

/* For their tables of options. */
#define QUERY_OPTIONS(a)                                                                                               \
    NAMES_OPTIONS(&(a)->names), {"no-index", ARGUMENT_FLAG, &(a)->no_index, 0}, ARGUMENT_THREADS(&(a)->threads)
#define QUERY_USAGE                                                                                                    \
    NAMES_USAGE                                                                                                        \
    "  --no-index          neither read nor write CAPTURE/index.executed: decode the whole trace again\n"              \
    "  --threads N         use N threads for the index (default: one for each processor)\n"

/* Open a capture and its index, which may take as long as decoding. false: a message says why. */
bool query_open(struct indexed_capture *indexed, const char *directory, struct query_options *arguments);

/* Report what the answer cannot know. Returns the exit status: 0, or 2 if parts are missing, damaged or not decoded. */
int query_print_missing(const struct indexed_capture *indexed);

#endif
