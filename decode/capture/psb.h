/* Finds PSB packets, where decoding can start: SDM "Packet Stream Boundary (PSB) Packet". Pure. */
#ifndef DECODE_PSB_H
#define DECODE_PSB_H

#include <stdbool.h>
#include <stdint.h>

#define PSB_NONE UINT64_MAX
#define PSB_BYTES 16u

/* Offset of the first PSB that starts at or after from. PSB_NONE: there is none. */
uint64_t psb_next(const uint8_t *trace, uint64_t size, uint64_t from);

/* Offset of the last PSB that starts at or before at. PSB_NONE: there is none. */
uint64_t psb_last(const uint8_t *trace, uint64_t size, uint64_t at);

#endif
