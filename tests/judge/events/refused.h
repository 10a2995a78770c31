/* The cause of bytes that packet_parse rejects: the opcode, or what follows it. Pure. */
#ifndef JUDGE_EVENTS_REFUSED_H
#define JUDGE_EVENTS_REFUSED_H

#include <stdint.h>

#include "decode/engine/flow_input.h"

/* FLOW_ERROR_OPCODE, or FLOW_ERROR_PACKET. */
enum flow_error packets_refused(const uint8_t *bytes, uint64_t size);

#endif
