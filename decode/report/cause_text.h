/* Texts of the causes of gaps, and of the errors of the flow decoder. */
#ifndef DECODE_CAUSE_TEXT_H
#define DECODE_CAUSE_TEXT_H

#include <stdint.h>

#include "decode/engine/flow_input.h"

/* enum record_gap_cause. */
const char *gap_cause_text(uint32_t cause);

const char *flow_error_text(enum flow_error error);

#endif
