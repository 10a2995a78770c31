#include "decode/capture/record_stream.h"

#include <stdlib.h>
#include <string.h>

#define MAP_MAX                                                                                                        \
    (sizeof(struct record_map) + 1024 * sizeof(struct record_map_run)) /* of a page table, one run for each entry */

void record_stream_init(struct record_stream *stream, uint16_t cpu)
{
    *stream = (struct record_stream){.cpu = cpu};
}

void record_stream_free(struct record_stream *stream)
{
    free(stream->buffer);
    stream->buffer = NULL;
}

bool record_possible(const struct record_header *header)
{
    switch (header->kind) {
    case RECORD_PAGE:
        return header->length == sizeof(struct record_page) + RECORD_PAGE_SIZE;
    case RECORD_DRAIN:
        return header->length == sizeof(struct record_drain);
    case RECORD_GAP:
        return header->length == sizeof(struct record_gap);
    case RECORD_SEEN:
        return header->length == sizeof(struct record_seen);
    case RECORD_MAP:
        return header->length >= sizeof(struct record_map) && header->length <= MAP_MAX &&
               (header->length - sizeof(struct record_map)) % sizeof(struct record_map_run) == 0;
    case RECORD_TASK:
        return header->length == sizeof(struct record_task);
    case RECORD_LOST:
        return header->length == sizeof(struct record_lost);
    case RECORD_SEGMENT:
        return header->length == sizeof(struct record_segment);
    case RECORD_CLOCK:
        return header->length == sizeof(struct record_clock);
    default:
        return header->length <= RECORD_STREAM_MAX - sizeof(*header) - 8;
    }
}

bool record_plausible(const struct record_header *header, uint16_t cpu)
{
    return record_possible(header) && header->cpu == cpu && header->kind >= RECORD_HELLO &&
           header->kind <= RECORD_CLOCK && header->kind != RECORD_LOST;
}

/* Deliver the records at the start of the buffer, and move the rest to its start. */
static void cut_records(struct record_stream *stream, record_stream_deliver deliver, void *context)
{
    size_t at = 0;
    while (stream->used - at >= sizeof(struct record_header)) {
        struct record_header header;
        memcpy(&header, stream->buffer + at, sizeof(header));
        if (!record_possible(&header) || header.cpu != stream->cpu)
            stream->lost_track = true;
        if (stream->lost_track && !record_plausible(&header, stream->cpu)) {
            /* Records start at multiples of 8 in the stream. */
            stream->lost += 8;
            at += 8;
            continue;
        }
        size_t size = record_size_bytes(&header);
        if (stream->used - at < size)
            break;
        stream->lost_track = false;
        deliver(context, &header, stream->buffer + at, size);
        at += size;
    }
    stream->used -= at;
    memmove(stream->buffer, stream->buffer + at, stream->used);
}

static bool has_buffer(struct record_stream *stream)
{
    if (!stream->buffer)
        stream->buffer = malloc(2 * RECORD_STREAM_MAX);
    return stream->buffer != NULL;
}

bool record_stream_refill(struct record_stream *stream, const uint8_t *bytes, size_t size)
{
    if (size > 2 * RECORD_STREAM_MAX || !has_buffer(stream))
        return false;
    memcpy(stream->buffer, bytes, size);
    stream->used = size;
    return true;
}

bool record_stream_take(struct record_stream *stream, uint64_t offset, const uint8_t *bytes, size_t size,
                        record_stream_deliver deliver, void *context)
{
    if (!has_buffer(stream))
        return false;
    if (offset < stream->offset) {
        uint64_t known = stream->offset - offset;
        if (known >= size)
            return true;
        bytes += known;
        size -= (size_t)known;
        offset = stream->offset;
    }
    if (offset > stream->offset) {
        stream->lost += offset - stream->offset + stream->used;
        stream->used = 0;
        stream->lost_track = true;
        size_t skip = (size_t)(-offset & 7);
        skip = skip < size ? skip : size;
        stream->lost += skip;
        bytes += skip;
        size -= skip;
        offset += skip;
    }
    stream->offset = offset + size;
    while (size > 0) {
        size_t part = 2 * RECORD_STREAM_MAX - stream->used;
        part = part < size ? part : size;
        memcpy(stream->buffer + stream->used, bytes, part);
        stream->used += part;
        bytes += part;
        size -= part;
        cut_records(stream, deliver, context);
    }
    return true;
}
