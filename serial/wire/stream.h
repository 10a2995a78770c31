/*
 * The bytes of one stream that wait to be sent: a queue of spans of trace memory, or a circular buffer of records.
 * Core.
 */
#ifndef SERIAL_WIRE_STREAM_H
#define SERIAL_WIRE_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "serial/wire/sink.h"

/* A run of bytes that is contiguous in memory. */
struct span {
    const uint8_t *va;
    uint64_t pa;
    uint32_t size;
    uint64_t offset; /* in the stream */
};

/* Trace: spans of memory, in the order of the stream. */
struct trace_queue {
    uint64_t sent;       /* stream offset of the end of the last frame */
    uint32_t head, tail; /* counts, which do not wrap: spans[head % SINK_MAX_SPANS] is the oldest */
    struct span spans[SINK_MAX_SPANS];
};

/* Records: a circular buffer. It keeps bytes after they were sent, until they are acknowledged. */
struct record_queue {
    uint64_t sent; /* stream offset of the first byte not yet in a frame */
    uint64_t end;  /* stream offset of the end of the buffered bytes */
    uint8_t *va;
    uint64_t pa;
    uint32_t size; /* bytes, a power of two */
};

static inline bool trace_queue_empty(const struct trace_queue *q)
{
    return q->head == q->tail;
}

static inline bool record_queue_empty(const struct record_queue *q)
{
    return q->sent == q->end;
}

/* Append a span. One that continues the last span in memory and in the stream is merged with it. false: SINK_MAX_SPANS
 * spans already wait. */
bool trace_queue_add(struct trace_queue *q, struct span span);

/* The stream offset of the end of the queue. */
uint64_t trace_queue_taken(const struct trace_queue *q);

/* The oldest span; the queue must not be empty. */
static inline struct span trace_queue_peek(const struct trace_queue *q)
{
    return q->spans[q->head % SINK_MAX_SPANS];
}

/* Remove the first size bytes of the span that peek returned. */
static inline void trace_queue_take(struct trace_queue *q, uint32_t size)
{
    struct span *span = &q->spans[q->head % SINK_MAX_SPANS];

    span->va += size;
    span->pa += size;
    span->offset += size;
    q->sent = span->offset;
    span->size -= size;
    if (span->size == 0) {
        q->head++;
    }
}

/* How many bytes can be appended if the bytes from stream offset needed on must stay. needed is at most sent. */
static inline uint32_t record_queue_space(const struct record_queue *q, uint64_t needed)
{
    return q->size - (uint32_t)(q->end - needed);
}

/* Append bytes, for which there must be space. */
void record_queue_add(struct record_queue *q, const void *bytes, uint32_t size);

/* Append all pieces. false: there is not enough space, and nothing was appended. */
bool record_queue_add_pieces(struct record_queue *q, uint64_t needed, const struct sink_piece *pieces, uint32_t nr);

/* The oldest unsent bytes, as far as they are contiguous; the queue must not be empty. */
static inline struct span record_queue_peek(const struct record_queue *q)
{
    uint32_t at = (uint32_t)q->sent & (q->size - 1);
    uint32_t waiting = (uint32_t)(q->end - q->sent);
    uint32_t to_buffer_end = q->size - at;

    return (struct span){q->va + at, q->pa + at, waiting < to_buffer_end ? waiting : to_buffer_end, q->sent};
}

static inline void record_queue_take(struct record_queue *q, uint32_t size)
{
    q->sent += size;
}

#endif
