/* Packets and gaps of which a trace is put together. Pure. */
#ifndef DECODE_FOREIGN_PERF_PACKETS_H
#define DECODE_FOREIGN_PERF_PACKETS_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/foreign/foreign_trace.h"

/* bytes NULL: so many zeros. false: no memory. */
bool perf_packets_append(struct foreign_file *packets, const uint8_t *bytes, uint64_t size);

/* One more gap, behind those that are there. One of no cause is a place where nothing is missing, and another buffer's
 * packets follow. false: no memory. */
bool perf_packets_gap(struct flow_trace *trace, struct record_gap gap);

#endif
