/*
 * The common prefix of two captures, which need not be decoded to be compared. Two boots of one image in the emulator
 * have a long one; on hardware, times differ from the first packet on.
 *
 * What a stretch executed follows from its packets and from the records of code. So a stretch is the same in both if
 * the bytes of the trace are the same, and no record of code or of a gap before its end differs.
 */
#ifndef DECODE_QUERY_PREFIX_H
#define DECODE_QUERY_PREFIX_H

#include <stdint.h>

#include "decode/query/indexed_capture.h"

struct prefix {
    uint64_t end; /* trace offset of the PSB of the first stretch that may differ; 0: none is known to be the same */
    uint64_t branches; /* before it */
};

/* The common prefix of a CPU that both captures have, without its last stretch: the caller also needs the branches
 * before the first difference. */
struct prefix prefix_find(const struct indexed_capture *const captures[2], uint16_t cpu);

#endif
