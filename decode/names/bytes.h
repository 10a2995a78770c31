/* Little-endian numbers at any address, and alignment. Pure. */
#ifndef DECODE_NAMES_BYTES_H
#define DECODE_NAMES_BYTES_H

#include <stdint.h>
#include <string.h>

static inline uint16_t read16(const uint8_t *at)
{
    uint16_t value;
    memcpy(&value, at, sizeof(value));
    return value;
}

static inline uint32_t read32(const uint8_t *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof(value));
    return value;
}

/* to: a power of two. value: at most UINT64_MAX - to + 1, which offsets in a file are. */
static inline uint64_t align_up(uint64_t value, uint64_t to)
{
    return (value + to - 1) & ~(to - 1);
}

#endif
