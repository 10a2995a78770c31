/*
 * The packets of a stretch, looked through before any of them is decoded: which are whole and known, and where those
 * begin that no decoder can follow. Pure.
 */
#ifndef DECODE_FLOW_PACKETS_H
#define DECODE_FLOW_PACKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/engine/flow_input.h"

struct flow_packets {
    uint64_t count;        /* packets */
    uint64_t size;         /* bytes of them */
    bool branches;         /* one of them reports a branch */
    enum flow_error error; /* but for FLOW_OK, why they end before the bytes do */
};

/* to_psb: a PSB follows the bytes, so that the last packet must end there; else they may have been cut anywhere. */
struct flow_packets flow_packets_look(const uint8_t *bytes, uint64_t size, bool to_psb);

#endif
