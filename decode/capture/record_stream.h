/*
 * Splits a CPU's record stream into records. Pure: bytes in, whole records out.
 */
#ifndef DECODE_RECORD_STREAM_H
#define DECODE_RECORD_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "serial/wire/record.h"

/* The longest record, header and padding included: a guard against garbage. */
#define RECORD_STREAM_MAX 65536u

/* Gets a whole record: header, payload, padding. */
typedef void (*record_stream_deliver)(void *context, const struct record_header *header, const uint8_t *bytes,
                                      size_t size);

struct record_stream {
    uint16_t cpu;
    bool lost_track; /* the next byte may be anywhere within a record */
    uint64_t offset; /* of the next byte expected */
    uint64_t lost;   /* bytes that never arrived or belonged to no whole record */
    uint8_t *buffer; /* the start of an unfinished record */
    size_t used;
};

void record_stream_init(struct record_stream *stream, uint16_t cpu);
void record_stream_free(struct record_stream *stream);

/* Set the start of an unfinished record: what the buffer of an earlier process had. false: out of memory. */
bool record_stream_refill(struct record_stream *stream, const uint8_t *bytes, size_t size);

/* Take the bytes at offset of the stream. Bytes that were taken before are ignored. false: out of memory. */
bool record_stream_take(struct record_stream *stream, uint64_t offset, const uint8_t *bytes, size_t size,
                        record_stream_deliver deliver, void *context);

/* Can this be the header of a record? Unknown kinds may have any length up to the limit. */
bool record_possible(const struct record_header *header);

/* Is this likely the header of a record, when lost_track is set? The kind must be known, and the CPU must match. */
bool record_plausible(const struct record_header *header, uint16_t cpu);

/* Bytes of a record in the stream: header, payload, padding. */
static inline size_t record_size_bytes(const struct record_header *header)
{
    return sizeof(*header) + (((size_t)header->length + 7) & ~(size_t)7);
}

#endif
