#include "decode/receive/unpack.h"

#ifdef HAVE_LIBLZ4

#include <lz4.h>

bool unpack_is_there(void)
{
    return true;
}

size_t unpack_block(uint8_t *to, size_t room, const uint8_t *block, size_t size)
{
    const int plain = LZ4_decompress_safe((const char *)block, (char *)to, (int)size, (int)room);
    return plain > 0 ? (size_t)plain : 0;
}

#else

bool unpack_is_there(void)
{
    return false;
}

size_t unpack_block(uint8_t *to, size_t room, const uint8_t *block, size_t size)
{
    (void)to, (void)room, (void)block, (void)size;
    return 0;
}

#endif
