/* Decompressing what a frame carries: LZ4 blocks, by liblz4 where it was there when this was built. Pure. */
#ifndef DECODE_UNPACK_H
#define DECODE_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* false: built without liblz4; unpack_block always fails. */
bool unpack_is_there(void);

/* Decompress a block of any bytes into at most room bytes at to. Returns their number; 0: it is not a block, or it
 * needs more room. */
size_t unpack_block(uint8_t *to, size_t room, const uint8_t *block, size_t size);

#endif
