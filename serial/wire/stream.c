/* Kind: core, hot */
/* Queues of bytes that wait to be sent. */
#include "serial/wire/stream.h"

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

uint64_t trace_queue_taken(const struct trace_queue *q)
{
    const struct span *last = &q->spans[(q->tail - 1) % SINK_MAX_SPANS];

    return trace_queue_empty(q) ? q->sent : last->offset + last->size;
}

void record_queue_add(struct record_queue *q, const void *bytes, uint32_t size)
{
    uint32_t at = (uint32_t)q->end & (q->size - 1);
    uint32_t to_buffer_end = q->size - at;
    uint32_t first = size < to_buffer_end ? size : to_buffer_end;

    __builtin_memcpy(q->va + at, bytes, first);
    if (first < size) {
        __builtin_memcpy(q->va, (const uint8_t *)bytes + first, size - first);
    }
    q->end += size;
}

bool record_queue_add_pieces(struct record_queue *q, uint64_t needed, const struct sink_piece *pieces, uint32_t nr)
{
    const uint64_t end = q->end;
    uint32_t space = record_queue_space(q, needed);

    for (uint32_t i = 0; i < nr; i++) {
        if (space < pieces[i].size) {
            q->end = end;
            return false;
        }
        space -= pieces[i].size;
        record_queue_add(q, pieces[i].bytes, pieces[i].size);
    }
    return true;
}
