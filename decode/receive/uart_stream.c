#include "decode/receive/uart_stream.h"

#include <string.h>

#include "serial/wire/crc32c.h"

/* How many bytes at the front cannot start a frame: up to the next first byte of the magic. */
static size_t to_next_magic(const uint8_t *bytes, size_t size)
{
    const uint8_t *next = memchr(bytes + 1, (int)(FRAME_MAGIC & 0xff), size - 1);
    return next ? (size_t)(next - bytes) : size;
}

static uint32_t load32(const uint8_t *bytes)
{
    uint32_t value;
    memcpy(&value, bytes, sizeof(value));
    return value;
}

/* Take the frame or the garbage at the front. Returns its size; 0: more bytes are needed to decide. */
static size_t take_front(struct uart_stream *stream, const uint8_t *bytes, size_t size, uart_stream_deliver deliver,
                         void *context)
{
    struct frame_header header;
    enum frame_error error = frame_header_parse(&header, bytes, size);
    if (error == FRAME_SHORT && size < FRAME_HEADER_SIZE)
        return 0;
    if (error != FRAME_OK && error != FRAME_SHORT) {
        if (error == FRAME_BAD_VERSION) {
            stream->bad_version++;
            stream->version = header.version;
        }
        size_t skip = to_next_magic(bytes, size);
        stream->garbage += skip;
        return skip;
    }
    size_t body = FRAME_HEADER_SIZE + (size_t)header.length;
    if (size < body + 4)
        return 0;
    if (load32(bytes + body) != crc32c(bytes + FRAME_HEADER_SIZE, header.length)) {
        /* Bytes may be missing, so the next frame may begin inside the claimed length of this one. */
        stream->bad_frames++;
        size_t skip = to_next_magic(bytes, size);
        stream->garbage += skip;
        return skip;
    }
    deliver(context, &header, bytes + FRAME_HEADER_SIZE);
    return body + 4;
}

void uart_stream_take(struct uart_stream *stream, const uint8_t *bytes, size_t size, uart_stream_deliver deliver,
                      void *context)
{
    while (size > 0) {
        size_t part = sizeof(stream->buffer) - stream->used;
        part = part < size ? part : size;
        memcpy(stream->buffer + stream->used, bytes, part);
        stream->used += part;
        bytes += part;
        size -= part;
        size_t at = 0, taken;
        while (at < stream->used &&
               (taken = take_front(stream, stream->buffer + at, stream->used - at, deliver, context)) > 0)
            at += taken;
        stream->used -= at;
        memmove(stream->buffer, stream->buffer + at, stream->used);
    }
}

void uart_stream_end(struct uart_stream *stream, uart_stream_deliver deliver, void *context)
{
    size_t at = 0;
    while (at < stream->used) {
        size_t taken = take_front(stream, stream->buffer + at, stream->used - at, deliver, context);
        if (taken == 0) {
            taken = to_next_magic(stream->buffer + at, stream->used - at);
            stream->garbage += taken;
        }
        at += taken;
    }
    stream->used = 0;
}
