/* Kind: core, hot */
/* CRC-32C: by the CRC32 instruction in the hypervisor, by a table in host programs. */
#include "serial/wire/crc32c.h"

#ifdef __CRC32__

/* Every CPU that the hypervisor supports has CRC32: unrestricted guests were introduced after SSE4.2. */
uint32_t crc32c_update(uint32_t state, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;

    for (; size >= sizeof(uint64_t); size -= sizeof(uint64_t), at += sizeof(uint64_t)) {
        uint64_t word;

        __builtin_memcpy(&word, at, sizeof(word));
        state = (uint32_t)__builtin_ia32_crc32di(state, word);
    }
    if (size >= sizeof(uint32_t)) {
        uint32_t word;

        __builtin_memcpy(&word, at, sizeof(word));
        state = __builtin_ia32_crc32si(state, word);
        size -= sizeof(word);
        at += sizeof(word);
    }
    for (; size > 0; size--, at++) {
        state = __builtin_ia32_crc32qi(state, *at);
    }
    return state;
}

#else

/* nibble_crc[n] is the CRC of the four bits n. The table has 64 bytes instead of 1 KiB. */
static const uint32_t nibble_crc[16] = {
    0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
    0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9, 0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
};

uint32_t crc32c_update(uint32_t state, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;

    for (size_t i = 0; i < size; i++) {
        state ^= at[i];
        state = nibble_crc[state & 15] ^ (state >> 4);
        state = nibble_crc[state & 15] ^ (state >> 4);
    }
    return state;
}

#endif
