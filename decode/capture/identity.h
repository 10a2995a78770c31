/* What identifies the content of a capture: a file beside it that was made of another content is out of date. */
#ifndef DECODE_CAPTURE_IDENTITY_H
#define DECODE_CAPTURE_IDENTITY_H

#include <stdint.h>

#include "decode/capture/capture.h"

struct capture_identity {
    uint64_t events_size, checksums_size, traces_size; /* bytes; of all traces together */
    uint32_t traces_crc;                               /* CRC-32C of the sizes of all traces */
    uint32_t content_crc;                              /* of the file checksums; if there is none, of events.bin */
};
_Static_assert(sizeof(struct capture_identity) == 32, "docs/ask.md: the identity of a capture is 32 bytes");

struct capture_identity capture_identify(const struct capture *capture);

#endif
