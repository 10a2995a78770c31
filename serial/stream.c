/* Bytes of one stream that wait to be put into frames. Core. */
#include "serial/stream.h"

bool trace_queue_add(struct trace_queue *q, struct span span)
{
    if (!trace_queue_empty(q)) {
        struct span *last = &q->spans[(q->tail - 1) % SINK_MAX_SPANS];
        if (last->pa + last->size == span.pa && last->va + last->size == span.va &&
            last->offset + last->size == span.offset && span.size <= ~last->size) {
            last->size += span.size;
            return true;
        }
    }
    if (q->tail - q->head == SINK_MAX_SPANS) {
        return false;
    }
    q->spans[q->tail++ % SINK_MAX_SPANS] = span;
    return true;
}

void trace_queue_take(struct trace_queue *q, uint32_t size)
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

void record_queue_add(struct record_queue *q, const void *bytes, uint32_t size)
{
    uint32_t at = (uint32_t)q->end & (q->size - 1);
    uint32_t to_ring_end = q->size - at;
    uint32_t first = size < to_ring_end ? size : to_ring_end;

    __builtin_memcpy(q->va + at, bytes, first);
    __builtin_memcpy(q->va, (const uint8_t *)bytes + first, size - first);
    q->end += size;
}

struct span record_queue_peek(const struct record_queue *q)
{
    uint32_t at = (uint32_t)q->sent & (q->size - 1);
    uint32_t waiting = (uint32_t)(q->end - q->sent);
    uint32_t to_ring_end = q->size - at;

    return (struct span){q->va + at, q->pa + at, waiting < to_ring_end ? waiting : to_ring_end, q->sent};
}
