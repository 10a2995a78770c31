#include "buffer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void put(struct buffer *b, const void *bytes, size_t size)
{
    if (b->used + size > b->room) {
        b->room = 2 * (b->used + size);
        b->bytes = realloc(b->bytes, b->room);
        if (!b->bytes) {
            perror("perfdata_wrap");
            exit(1);
        }
    }
    memcpy(b->bytes + b->used, bytes, size);
    b->used += size;
}
