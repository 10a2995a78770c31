/* Cutting a trace into stretches. Pure. */
#ifndef DECODE_FLOW_CUT_H
#define DECODE_FLOW_CUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/engine/flow.h"
#include "decode/flow/flow_span.h"

/* The TSC packet of the PSB+ at trace offset psb; 0: it has none. */
uint64_t flow_cut_tsc(const uint8_t *trace, uint64_t size, uint64_t psb);

/* Where execution was at the PSB+ at trace offset psb: one of FLOW_ENDS_AT_PSB*. *ip is set for FLOW_ENDS_AT_PSB_IP. */
enum flow_end flow_cut_boundary(uint64_t *ip, const uint8_t *trace, uint64_t size, uint64_t psb);

/* The stretch of the span that begins with the first PSB at or after from, which is in the span, and ends at the next
 * PSB or with the span; size is the trace's. false: there is no further PSB. The search for a PSB is bytewise, because
 * damaged bytes may look like a packet that extends over one. */
bool flow_cut_next(struct flow_stretch *stretch, const uint8_t *trace, uint64_t size, const struct flow_span *span,
                   uint64_t from);

#endif
