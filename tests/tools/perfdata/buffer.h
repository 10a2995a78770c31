/*
 * Bytes that grow: what a perf.data file is made of.
 */
#ifndef PERFDATA_BUFFER_H
#define PERFDATA_BUFFER_H

#include <stddef.h>
#include <stdint.h>

struct buffer {
    uint8_t *bytes;
    size_t used, room;
};

/* They end the process when there is no memory. */
void put(struct buffer *b, const void *bytes, size_t size);
void put32(struct buffer *b, uint32_t value);
void put64(struct buffer *b, uint64_t value);
/* The text, its 0, and more up to a multiple of 8 bytes. */
void put_text(struct buffer *b, const char *text);

#endif
