/* Kind: core, hot */
/* CRC-32C: by the CRC32 instruction where the CPU has it, otherwise by a table. */
#include "serial/wire/crc32c.h"

/* nibble_crc[n] is the CRC of the four bits n. The table has 64 bytes instead of 1 KiB. */
static const uint32_t nibble_crc[16] = {
    0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
    0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9, 0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
};

uint32_t crc32c_update_by_table(uint32_t state, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;

    for (size_t i = 0; i < size; i++) {
        state ^= at[i];
        state = nibble_crc[state & 15] ^ (state >> 4);
        state = nibble_crc[state & 15] ^ (state >> 4);
    }
    return state;
}

#ifdef __x86_64__

#define TURN 18u /* words: ten turns are a frame of 1440 bytes */

/* The hypervisor reads each trace byte here: one instruction for eight bytes, and few others. */
#ifndef __CRC32__
__attribute__((target("sse4.2")))
#endif
static uint32_t
by_instruction(uint32_t start, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    uint64_t state = start;

    for (; size >= TURN * sizeof(uint64_t); size -= TURN * sizeof(uint64_t), at += TURN * sizeof(uint64_t)) {
#pragma GCC unroll 18
        for (unsigned i = 0; i < TURN; i++) {
            uint64_t word;

            __builtin_memcpy(&word, at + i * sizeof(word), sizeof(word));
            state = __builtin_ia32_crc32di(state, word);
        }
    }
    for (; size >= sizeof(uint64_t); size -= sizeof(uint64_t), at += sizeof(uint64_t)) {
        uint64_t word;

        __builtin_memcpy(&word, at, sizeof(word));
        state = __builtin_ia32_crc32di(state, word);
    }
    for (; size > 0; size--, at++) {
        state = __builtin_ia32_crc32qi((uint32_t)state, *at);
    }
    return (uint32_t)state;
}

#endif

#if defined __CRC32__

/* Every CPU that the hypervisor supports has CRC32: unrestricted guests were introduced after SSE4.2. */
uint32_t crc32c_update(uint32_t state, const void *bytes, size_t size)
{
    return by_instruction(state, bytes, size);
}

#elif defined __x86_64__

uint32_t crc32c_update(uint32_t state, const void *bytes, size_t size)
{
    return __builtin_cpu_supports("sse4.2") ? by_instruction(state, bytes, size)
                                            : crc32c_update_by_table(state, bytes, size);
}

#else

uint32_t crc32c_update(uint32_t state, const void *bytes, size_t size)
{
    return crc32c_update_by_table(state, bytes, size);
}

#endif
