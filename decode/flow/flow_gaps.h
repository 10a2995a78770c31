/* Decode gaps, by cause: stretches of trace, or the rests of them, that could not be decoded; and of no bytes, loops of
 * which the number of iterations is unknown. Pure. */
#ifndef DECODE_FLOW_GAPS_H
#define DECODE_FLOW_GAPS_H

#include <stdint.h>

#include "decode/engine/flow_input.h"

struct flow_gaps {
    uint64_t count, bytes;
    uint64_t by_cause[FLOW_NR_ERRORS];
};

static inline void flow_gaps_add(struct flow_gaps *gaps, enum flow_error cause, uint64_t bytes)
{
    gaps->count++;
    gaps->bytes += bytes;
    gaps->by_cause[cause]++;
}

static inline void flow_gaps_add_loops(struct flow_gaps *gaps, uint64_t count)
{
    gaps->count += count;
    gaps->by_cause[FLOW_ERROR_LOOP] += count;
}

static inline void flow_gaps_sum(struct flow_gaps *sum, const struct flow_gaps *gaps)
{
    sum->count += gaps->count;
    sum->bytes += gaps->bytes;
    for (int i = 0; i < FLOW_NR_ERRORS; i++)
        sum->by_cause[i] += gaps->by_cause[i];
}

#endif
