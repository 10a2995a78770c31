#include "decode/capture/list.h"

#include <stdlib.h>

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
