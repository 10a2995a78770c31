/* Conversions between the times, trace offsets and address spaces of a trace. Pure. */
#ifndef DECODE_QUERY_CODE_SPACE_AT_H
#define DECODE_QUERY_CODE_SPACE_AT_H

#include <stdint.h>

#include "decode/flow/flow_trace.h"

/* The trace offset of the last PSB at or before this TSC; 0: there is none. */
uint64_t code_offset_at(const struct flow_trace *trace, uint64_t tsc);

/* The guest's CR3 in the last PIP packet before a trace offset; FLOW_CR3_UNKNOWN: there is none. */
uint64_t code_cr3_at(const struct flow_trace *trace, uint64_t at);

/* The last TSC of the trace, for which its last part is decoded. 0: not known. */
uint64_t code_last_tsc(const struct flow_trace *trace);

#endif
