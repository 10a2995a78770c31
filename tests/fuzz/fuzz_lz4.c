/*
 * Compressed frames: any bytes as a block that a receiver decompresses, which stays within its bound; and as what the
 * hypervisor compresses, which comes back.
 *
 * The input: two bytes for the room, and the bytes.
 */
#include <string.h>

#include "decode/receive/unpack.h"
#include "serial/wire/frame.h"
#include "serial/wire/lz4.h"
#include "tests/fuzz/fuzz.h"

/* Their ends are known to a sanitizer. */
static uint8_t *room_for(size_t size)
{
    uint8_t *room = malloc(size > 0 ? size : 1);
    DEMAND(room);
    return room;
}

static void unpack(const uint8_t *bytes, size_t size, size_t room)
{
    uint8_t *plain = room_for(room);
    DEMAND(unpack_block(plain, room, bytes, size) <= room);
    free(plain);
}

static void pack(const uint8_t *bytes, size_t size, uint32_t room)
{
    static struct lz4_table table;
    uint8_t *block = room_for(room), *plain = room_for(LZ4_PIECE_MAX);
    for (size_t done = 0; done < size;) {
        const struct lz4_block made = lz4_pack(&table, block, room, bytes + done, (uint32_t)(size - done));
        DEMAND(made.plain > 0 && made.plain <= size - done && made.packed <= room);
        DEMAND(unpack_block(plain, LZ4_PIECE_MAX, block, made.packed) == made.plain);
        DEMAND(memcmp(plain, bytes + done, made.plain) == 0);
        done += made.plain;
    }
    free(block);
    free(plain);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2 || !unpack_is_there())
        return 0;
    const uint32_t room = (uint32_t)(data[0] | data[1] << 8);
    size -= 2;
    uint8_t *bytes = room_for(size);
    memcpy(bytes, data + 2, size);
    unpack(bytes, size, room);
    unpack(bytes, size, FRAME_MAX_PLAIN);
    pack(bytes, size, LZ4_ROOM_MIN + room % (FRAME_MAX_PAYLOAD - LZ4_ROOM_MIN));
    free(bytes);
    return 0;
}
