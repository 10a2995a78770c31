/* The words behind undertrace decode. */
#ifndef DECODE_CLI_OPTIONS_DECODE_OPTIONS_H
#define DECODE_CLI_OPTIONS_DECODE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/cli/foreign_input.h"
#include "decode/report/ptxed_line.h"

struct decode_options {
    const char *capture, *branches, *instructions, *merged, *format, *shard, *result;
    uint64_t cpu, threads;
    uint32_t part, nr_parts; /* of shard; 0: all */
    struct foreign_options foreign;
    struct ptxed_options ptxed;
    bool ignored;    /* ptxed's --no-inst and --block-decoder, which are always so, --check, of which nothing is left to
                        do,    and what says how instructions are printed */
    uint64_t unused; /* the same, of a number */
};

/* Returns ARGUMENTS_GOOD or the exit status, as arguments_parse; what does not go together is said. */
int decode_options_parse(struct decode_options *a, int argc, char **argv);

#endif
