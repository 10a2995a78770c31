#include "decode/capture/list.h"

#include <stdlib.h>
#include <string.h>

#define LEAST_ROOM 16u

void *list_add(void **items, size_t *count, size_t *room, size_t size)
{
    if (*count == *room) {
        const size_t more = *room ? 2 * *room : LEAST_ROOM;
        void *grown = realloc(*items, more * size);
        if (!grown)
            return NULL;
        *items = grown;
        *room = more;
    }
    return (char *)*items + size * (*count)++;
}

size_t list_after(const void *items, size_t count, size_t size, size_t key_offset, uint64_t key)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        uint64_t own;
        memcpy(&own, (const char *)items + middle * size + key_offset, sizeof(own));
        if (own <= key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
