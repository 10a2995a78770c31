/* The IP ranges that tracing was confined to, or ended at: ADDRn_CFG of IA32_RTIT_CTL, SDM Table "IA32_RTIT_CTL MSR".
 * Pure. */
#ifndef DECODE_FLOW_RANGES_H
#define DECODE_FLOW_RANGES_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/engine/flow_input.h"

/* Is tracing on at ip, as far as ranges go? */
bool flow_ranges_trace(const struct flow_input *input, uint64_t ip);

#endif
