/* Which moment of a trace is which, for its code. Pure. */
#ifndef DECODE_QUERY_CODE_SPACE_AT_H
#define DECODE_QUERY_CODE_SPACE_AT_H

#include <stdint.h>

#include "decode/flow/flow_trace.h"

/* The trace offset of the last PSB that was written at or before this TSC; 0: none was. */
uint64_t code_offset_at(const struct flow_trace *trace, uint64_t tsc);

/* The CR3 of the guest that the last PIP packet before a trace offset tells; FLOW_CR3_UNKNOWN: none does. */
uint64_t code_cr3_at(const struct flow_trace *trace, uint64_t at);

/* The last time (TSC) that the trace tells: its last part is decoded for it. 0: not known. */
uint64_t code_last_tsc(const struct flow_trace *trace);

#endif
