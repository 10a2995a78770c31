/* Sums over the records of a CPU, for `undertrace info`. */
#ifndef DECODE_CLI_TEXT_INFO_SUMS_H
#define DECODE_CLI_TEXT_INFO_SUMS_H

#include <stdint.h>

#include "decode/capture/capture.h"

#define INFO_KINDS (RECORD_CLOCK + 1)

struct info_sums {
    uint64_t records[INFO_KINDS]; /* of each kind; [0]: of unknown kinds */
    uint64_t handed_over;         /* bytes of trace, according to the drain records */
};

void info_sum(struct info_sums *sums, const struct capture *capture, unsigned cpu);

#endif
