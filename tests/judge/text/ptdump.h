/* The packets of some bytes on standard output, in the format of libipt's ptdump. */
#ifndef JUDGE_TEXT_PTDUMP_H
#define JUDGE_TEXT_PTDUMP_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/judge/text/dump_time.h"

struct ptdump_options {
    bool no_offset, last_ip, exec_mode, raw, no_pad, no_timing, no_cyc, no_sync, quiet; /* as ptdump's of these names */
    bool time, tcal, time_delta, no_tcal, no_wall_clock, keep_tcal_on_ovf;
    bool skd007, skz84;           /* errata */
    struct dump_time_setup setup; /* the clocks, and SKL168 */
};

/* Returns the number of places that are not a packet; after each, reading continues at the next PSB. */
uint64_t ptdump_print(const uint8_t *bytes, uint64_t size, const struct ptdump_options *options);

#endif
