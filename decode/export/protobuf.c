#include "decode/export/protobuf.h"

#include <string.h>

#define WIRE_VARINT 0u
#define WIRE_BYTES 2u
#define VARINT_MOST 10u

static void add_varint(struct protobuf *message, uint64_t value)
{
    if (message->size + VARINT_MOST > sizeof(message->bytes)) {
        message->cut = true;
        return;
    }
    while (value > 0x7f) {
        message->bytes[message->size++] = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    message->bytes[message->size++] = (uint8_t)value;
}

void protobuf_number(struct protobuf *message, uint32_t field, uint64_t value)
{
    add_varint(message, (uint64_t)field << 3 | WIRE_VARINT);
    add_varint(message, value);
}

void protobuf_bytes(struct protobuf *message, uint32_t field, const void *bytes, size_t size)
{
    if (size + 2 * VARINT_MOST > sizeof(message->bytes) - message->size) {
        message->cut = true;
        return;
    }
    add_varint(message, (uint64_t)field << 3 | WIRE_BYTES);
    add_varint(message, size);
    memcpy(message->bytes + message->size, bytes, size);
    message->size += size;
}

void protobuf_text(struct protobuf *message, uint32_t field, const char *text)
{
    protobuf_bytes(message, field, text, strlen(text));
}

void protobuf_message(struct protobuf *message, uint32_t field, const struct protobuf *within)
{
    message->cut |= within->cut;
    protobuf_bytes(message, field, within->bytes, within->size);
}
