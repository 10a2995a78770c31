/*
 * How exact the times of a capture are. A branch has the time of a timing packet, or a share of the time between two:
 * the further these are apart, the less is known. Pure.
 */
#ifndef DECODE_FLOW_PRECISION_H
#define DECODE_FLOW_PRECISION_H

#include <stdint.h>

#include "decode/capture/capture.h"

/* Of all packets that report branches: the distance, in ticks of the TSC, between the two timing packets around them.
 * A power of two that the distance is not above. */
struct precision {
    uint64_t half;   /* of a half of the packets */
    uint64_t tenths; /* of nine tenths; 0: not known, also half */
};

/* Samples of each CPU's trace are read: at most a few MiB. */
struct precision precision_of(const struct capture *capture);

/* "half of the branches within 36.1 us, nine tenths within 410 us". khz: of the TSC; 0: not known. Returns text; "" if
 * the precision is not known. */
#define PRECISION_TEXT_SIZE 128u
const char *precision_text(char text[PRECISION_TEXT_SIZE], const struct precision *precision, uint64_t khz);

#endif
