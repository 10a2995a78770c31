/*
 * Protocol Buffers' wire format, as much of it as is needed to write: varints, and fields of bytes, which messages
 * within messages are. Pure. Source: protobuf.dev, "Encoding".
 */
#ifndef DECODE_EXPORT_PROTOBUF_H
#define DECODE_EXPORT_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A message that is being made. What does not fit is noted. */
#define PROTOBUF_SIZE 2048u
struct protobuf {
    uint8_t bytes[PROTOBUF_SIZE];
    size_t size;
    bool cut;
};

void protobuf_number(struct protobuf *message, uint32_t field, uint64_t value);
void protobuf_bytes(struct protobuf *message, uint32_t field, const void *bytes, size_t size);
void protobuf_text(struct protobuf *message, uint32_t field, const char *text);
void protobuf_message(struct protobuf *message, uint32_t field, const struct protobuf *within);

#endif
