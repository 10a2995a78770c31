/* The options of undertrace trace. */
#ifndef DECODE_CLI_TRACE_TRACE_OPTIONS_H
#define DECODE_CLI_TRACE_TRACE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/cli/options/query_options.h"
#include "decode/query/listing.h"

enum trace_what { TRACE_FUNCTIONS, TRACE_BRANCHES, TRACE_INSTRUCTIONS };

struct trace_options {
    struct query_options query;
    const char *capture, *time, *process, *function, *address, *from, *to, *output;
    uint64_t cpu, depth, lines; /* ARGUMENT_NOT_GIVEN: any */
    bool returns, disassemble, srcline;
    enum trace_what what;
    uint64_t cr3; /* FLOW_CR3_UNKNOWN: any */
    struct listing_range addresses;
    bool colored;
};

/* Returns ARGUMENTS_GOOD or the exit status, as arguments_parse. */
int trace_options_parse(struct trace_options *options, int argc, char **argv);

/* Parse --time with the capture's clock. false: a message says why. */
bool trace_options_time(const struct trace_options *options, const struct indexed_capture *indexed, uint64_t *from,
                        uint64_t *to);

#endif
