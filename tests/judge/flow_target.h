/* The target of a direct near branch, from its bytes: a trace with IP filters may not have it. Pure. */
#ifndef DECODE_FLOW_TARGET_H
#define DECODE_FLOW_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The instruction at ip has size bytes at most. false: it is no direct near branch. */
bool flow_target(uint64_t *to, const uint8_t *bytes, size_t size, uint64_t ip, unsigned bits);

#endif
