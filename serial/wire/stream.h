/*
 * Bytes of one stream that wait to be put into frames: spans of trace memory, or a circular buffer of record bytes.
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

/* Trace: spans in the order in which they were handed over. */
struct trace_queue {
    uint64_t sent;       /* stream offset behind the last byte in a frame */
    uint32_t head, tail; /* spans[head % SINK_MAX_SPANS] is the oldest; they are counted, not wrapped */
    struct span spans[SINK_MAX_SPANS];
};

/* Records: a circular buffer that holds the bytes from the oldest that is still needed to end. */
struct record_queue {
    uint64_t sent; /* stream offset of the first byte not yet in a frame */
    uint64_t end;  /* stream offset behind the last byte appended */
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

/* A span that goes on where the last one ends is put to it. false: SINK_MAX_SPANS spans wait already. */
bool trace_queue_add(struct trace_queue *q, struct span span);

/* The stream offset behind the last byte that was handed over. */
uint64_t trace_queue_taken(const struct trace_queue *q);

/* The oldest bytes that wait; the queue is not empty. */
static inline struct span trace_queue_peek(const struct trace_queue *q)
{
    return q->spans[q->head % SINK_MAX_SPANS];
}

/* The first size bytes of what peek returned are in frames now. */
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

/* How many bytes may be appended while the bytes from offset needed on (at most sent) must stay. */
static inline uint32_t record_queue_space(const struct record_queue *q, uint64_t needed)
{
    return q->size - (uint32_t)(q->end - needed);
}

/* Append; there is space. */
void record_queue_add(struct record_queue *q, const void *bytes, uint32_t size);

/* Append all pieces, or where there is no space nothing: false. */
bool record_queue_add_pieces(struct record_queue *q, uint64_t needed, const struct sink_piece *pieces, uint32_t nr);

/* The oldest bytes that wait, as far as they are contiguous; the queue is not empty. */
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
