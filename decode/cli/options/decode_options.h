/* The options of undertrace decode. */
#ifndef DECODE_CLI_OPTIONS_DECODE_OPTIONS_H
#define DECODE_CLI_OPTIONS_DECODE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/cli/options/foreign_input.h"

struct decode_options {
    const char *capture, *branches, *instructions, *merged, *shard, *result;
    uint64_t cpu, threads;
    uint32_t part, nr_parts; /* of --shard; 0: without it */
    struct foreign_options foreign;
};

/* Returns ARGUMENTS_GOOD or the exit status, like arguments_parse. Messages report options that exclude each other. */
int decode_options_parse(struct decode_options *a, int argc, char **argv);

#endif
