/* Appending packets and gaps to a trace. Pure. */
#ifndef DECODE_FOREIGN_PERF_PACKETS_H
#define DECODE_FOREIGN_PERF_PACKETS_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/foreign/foreign_trace.h"

/* bytes NULL: append zeros. false: out of memory. */
bool perf_packets_append(struct foreign_file *packets, const uint8_t *bytes, uint64_t size);

/* Append a gap. With cause 0 nothing is missing: the packets of another buffer follow. false: out of memory. */
bool perf_packets_gap(struct flow_trace *trace, struct record_gap gap);

#endif
