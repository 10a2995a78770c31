#include "decode/capture/psb.h"

#include <string.h>

static const uint8_t pattern[16] = {0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82,
                                    0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82};

uint64_t psb_next(const uint8_t *trace, uint64_t size, uint64_t from)
{
    if (from >= size)
        return PSB_NONE;
    const uint8_t *found = memmem(trace + from, (size_t)(size - from), pattern, sizeof(pattern));
    if (!found)
        return PSB_NONE;
    /* The packet before may end with the bytes of a PSB, but no packet after a PSB begins with them. */
    uint64_t at = (uint64_t)(found - trace);
    while (size - at >= sizeof(pattern) + 2 && !memcmp(trace + at + sizeof(pattern), pattern, 2))
        at += 2;
    return at;
}

uint64_t psb_last(const uint8_t *trace, uint64_t size, uint64_t at)
{
    uint64_t last = size < sizeof(pattern) ? 0 : size - sizeof(pattern);
    if (size < sizeof(pattern))
        return PSB_NONE;
    for (uint64_t i = at < last ? at : last;; i--) {
        if (trace[i] == pattern[0] && !memcmp(trace + i, pattern, sizeof(pattern)) && psb_next(trace, size, i) <= at)
            return psb_next(trace, size, i);
        if (i == 0)
            return PSB_NONE;
    }
}
