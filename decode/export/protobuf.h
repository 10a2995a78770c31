/*
 * Writer of the Protocol Buffers wire format, as far as it is needed: varints, and fields of bytes, which include
 * nested messages. Pure. Source: protobuf.dev, "Encoding".
 */
#ifndef DECODE_EXPORT_PROTOBUF_H
#define DECODE_EXPORT_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A message under construction. cut is set when it does not fit. */
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
