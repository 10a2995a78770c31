/* CRC-32C in software. Core. */
#include "serial/crc32c.h"

/* nibble_crc[n] is the CRC of the four bits n: 64 bytes of table rather than 1 KiB, because the bytes that matter for
 * speed go through the CRC32 instruction or the NIC. */
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
