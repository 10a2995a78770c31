/* The options of undertrace decode. */
#ifndef DECODE_CLI_OPTIONS_DECODE_OPTIONS_H
#define DECODE_CLI_OPTIONS_DECODE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/cli/options/foreign_input.h"
#include "decode/report/ptxed_line.h"

struct decode_options {
    const char *capture, *branches, *instructions, *merged, *format, *shard, *result;
    uint64_t cpu, threads;
    uint32_t part, nr_parts; /* of --shard; 0: without it */
    struct foreign_options foreign;
    struct ptxed_options ptxed;
    bool ignored; /* options of ptxed without effect: --no-inst and --block-decoder are always on, --check has nothing
                     to check, and others choose how instructions are printed */
    uint64_t unused; /* the same for an option with a number */
};

/* Returns ARGUMENTS_GOOD or the exit status, like arguments_parse. Messages report options that exclude each other. */
int decode_options_parse(struct decode_options *a, int argc, char **argv);

#endif
