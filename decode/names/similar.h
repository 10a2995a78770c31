/* How alike two runs of bytes are. Pure. */
#ifndef DECODE_NAMES_SIMILAR_H
#define DECODE_NAMES_SIMILAR_H

#include <stddef.h>
#include <stdint.h>

/* How many bytes are equal. */
static inline size_t similar_bytes(const uint8_t *a, const uint8_t *b, size_t size)
{
    size_t equal = 0;
    for (size_t i = 0; i < size; i++)
        equal += a[i] == b[i];
    return equal;
}

#endif
