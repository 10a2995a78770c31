/* Little-endian numbers at unaligned addresses, in tables of firmware and devices. */
#ifndef BASE_BYTES_H
#define BASE_BYTES_H

#include <stdint.h>
#include <string.h>

static inline uint16_t read16(const uint8_t *at)
{
    uint16_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static inline uint32_t read32(const uint8_t *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static inline uint64_t read64(const uint8_t *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static inline void put16(uint8_t *at, uint16_t value)
{
    memcpy(at, &value, sizeof value);
}

static inline void put32(uint8_t *at, uint32_t value)
{
    memcpy(at, &value, sizeof value);
}

static inline void put64(uint8_t *at, uint64_t value)
{
    memcpy(at, &value, sizeof value);
}

#endif
