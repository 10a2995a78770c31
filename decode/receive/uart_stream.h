/*
 * Finds frames in a stream of bytes from a UART, where a CRC-32C of the payload follows each frame. Pure.
 */
#ifndef DECODE_UART_STREAM_H
#define DECODE_UART_STREAM_H

#include <stddef.h>
#include <stdint.h>

#include "serial/wire/frame.h"

typedef void (*uart_stream_deliver)(void *context, const struct frame_header *header, const uint8_t *payload);

#define UART_STREAM_FRAME_MAX (FRAME_HEADER_SIZE + FRAME_MAX_PAYLOAD + 4u)

struct uart_stream {
    uint64_t garbage;     /* bytes that belonged to no frame */
    uint64_t bad_frames;  /* headers whose payload failed its CRC */
    uint64_t bad_version; /* good headers with another version */
    uint8_t version;
    size_t used;
    uint8_t buffer[2 * UART_STREAM_FRAME_MAX];
};

/* Take bytes as they arrive; deliver every whole frame with good CRCs. After garbage the next header is searched byte
 * by byte. */
void uart_stream_take(struct uart_stream *stream, const uint8_t *bytes, size_t size, uart_stream_deliver deliver,
                      void *context);

/* No more bytes will arrive: an unfinished frame is garbage, and whole frames may follow its start. */
void uart_stream_end(struct uart_stream *stream, uart_stream_deliver deliver, void *context);

#endif
