#include "decode/capture/pack.h"

#include <stdlib.h>
#include <string.h>

#define MOST_BYTES 10u /* of a number */

static bool make_room(struct pack *pack, size_t size)
{
    if (pack->room - pack->size >= size)
        return true;
    const size_t room = 2 * pack->room + size + 4096;
    uint8_t *bytes = realloc(pack->bytes, room);
    pack->no_memory |= !bytes;
    if (!bytes)
        return false;
    pack->bytes = bytes;
    pack->room = room;
    return true;
}

void pack_number(struct pack *pack, uint64_t number)
{
    if (!make_room(pack, MOST_BYTES))
        return;
    for (; number >= 0x80; number >>= 7)
        pack->bytes[pack->size++] = (uint8_t)(number | 0x80);
    pack->bytes[pack->size++] = (uint8_t)number;
}

/* The sign becomes the lowest bit. */
void pack_near(struct pack *pack, uint64_t number, uint64_t other)
{
    const uint64_t distance = number - other;
    pack_number(pack, distance << 1 ^ (distance >> 63 ? UINT64_MAX : 0));
}

void pack_bytes(struct pack *pack, const void *bytes, size_t size)
{
    if (size == 0 || !make_room(pack, size))
        return;
    memcpy(pack->bytes + pack->size, bytes, size);
    pack->size += size;
}

void pack_free(struct pack *pack)
{
    free(pack->bytes);
    *pack = (struct pack){0};
}

uint64_t packed_number(struct packed *packed)
{
    uint64_t number = 0;
    for (unsigned i = 0; i < MOST_BYTES && packed->at < packed->end && !packed->bad; i++) {
        const uint8_t byte = *packed->at++;
        if (i == MOST_BYTES - 1 && byte > 1)
            break;
        number |= (uint64_t)(byte & 0x7f) << 7 * i;
        if (byte < 0x80)
            return number;
    }
    packed->bad = true;
    return 0;
}

uint64_t packed_near(struct packed *packed, uint64_t other)
{
    const uint64_t number = packed_number(packed);
    return packed->bad ? 0 : other + (number >> 1 ^ (number & 1 ? UINT64_MAX : 0));
}

uint64_t packed_below(struct packed *packed, uint64_t limit)
{
    const uint64_t number = packed_number(packed);
    if (number < limit)
        return number;
    packed->bad = true;
    return 0;
}

const void *packed_bytes(struct packed *packed, uint64_t size)
{
    const uint8_t *bytes = packed->at;
    if (packed->bad || size > (uint64_t)(packed->end - bytes)) {
        packed->bad = true;
        return NULL;
    }
    packed->at += size;
    return bytes;
}
