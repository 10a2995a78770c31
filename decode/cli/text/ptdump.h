/* The packets of some bytes on standard output, in the dialect of libipt's ptdump. */
#ifndef DECODE_CLI_TEXT_PTDUMP_H
#define DECODE_CLI_TEXT_PTDUMP_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/report/dump_line.h"
#include "decode/report/dump_time.h"

struct ptdump_options {
    struct dump_style style;
    bool raw, no_pad, no_timing, no_cyc, no_sync, quiet; /* what ptdump's options of these names do */
    bool time, tcal, time_delta, no_tcal, no_wall_clock, keep_tcal_on_ovf;
    bool skd007, skz84;           /* errata */
    struct dump_time_setup setup; /* the clocks, and SKL168 */
};

/* Of size bytes, the first of which is at trace offset begin; packets at from to to are shown. Returns how many places
 * were no packet: behind each it goes on at the next PSB. */
uint64_t ptdump_print(const uint8_t *bytes, uint64_t begin, uint64_t size, uint64_t from, uint64_t to,
                      struct ptdump_options *options);

#endif
