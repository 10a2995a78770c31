/* Cutting a trace into stretches. Pure. */
#ifndef DECODE_FLOW_CUT_H
#define DECODE_FLOW_CUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/flow/flow.h"

/* The TSC packet of the PSB+ at trace offset psb; 0: it has none. */
uint64_t flow_cut_tsc(const uint8_t *trace, uint64_t size, uint64_t psb);

/* The instruction pointer that the FUP of the PSB+ at trace offset psb names. false: there is no FUP in it, since
 * tracing was off there or the bytes end. */
bool flow_cut_boundary(uint64_t *ip, const uint8_t *trace, uint64_t size, uint64_t psb);

/* The stretch that begins with the first PSB at or behind from, and ends at the next PSB, at the trace's end, or at
 * gap_at where that comes first (UINT64_MAX: no gap). false: there is no PSB any more. */
bool flow_cut_next(struct flow_stretch *stretch, const uint8_t *trace, uint64_t size, uint64_t from, uint64_t gap_at);

#endif
