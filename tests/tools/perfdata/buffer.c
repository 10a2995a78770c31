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

void put32(struct buffer *b, uint32_t value)
{
    put(b, &value, sizeof(value));
}

void put64(struct buffer *b, uint64_t value)
{
    put(b, &value, sizeof(value));
}

void put_text(struct buffer *b, const char *text)
{
    static const uint8_t zeros[8];
    size_t length = strlen(text);
    put(b, text, length);
    put(b, zeros, 8 - length % 8);
}
