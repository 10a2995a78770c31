/*
 * How far two captures begin with the same bytes: there is nothing to be compared there by decoding. Two boots of one
 * image in the emulator are the same for long; on hardware times differ from the first packet on.
 *
 * What a stretch executed follows from its packets and from the code that records tell of. So stretches are the same
 * where the bytes of the trace are, and no record of code or of a gap differs up to there.
 */
#ifndef DECODE_QUERY_PREFIX_H
#define DECODE_QUERY_PREFIX_H

#include <stdint.h>

#include "decode/query/indexed_capture.h"

struct prefix {
    uint64_t end; /* trace offset of the PSB of the first stretch that may differ; 0: none is known to be the same */
    uint64_t branches; /* before it */
};

/* Of a CPU that both captures have. All but the last stretch of what is the same: the branches before the first
 * difference are wanted, too. */
struct prefix prefix_find(const struct indexed_capture *const captures[2], uint16_t cpu);

#endif
