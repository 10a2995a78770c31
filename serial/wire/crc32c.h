/*
 * CRC-32C (Castagnoli: polynomial 1EDC6F41H, reflected, initial value and final inversion all ones), which the CRC32
 * instruction computes (SDM Vol. 2A, "CRC32"). Core.
 */
#ifndef SERIAL_WIRE_CRC32C_H
#define SERIAL_WIRE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* A running CRC starts with CRC32C_START, is updated any number of times, and is complete after crc32c_finish. */
#define CRC32C_START 0xffffffffu

uint32_t crc32c_update(uint32_t state, const void *bytes, size_t size);

/* The same without the CRC32 instruction. */
uint32_t crc32c_update_by_table(uint32_t state, const void *bytes, size_t size);

static inline uint32_t crc32c_finish(uint32_t state)
{
    return ~state;
}

static inline uint32_t crc32c(const void *bytes, size_t size)
{
    return crc32c_finish(crc32c_update(CRC32C_START, bytes, size));
}

#endif
