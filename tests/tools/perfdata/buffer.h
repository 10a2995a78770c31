/*
 * Bytes that grow: a trace that goes into a perf.data file.
 */
#ifndef PERFDATA_BUFFER_H
#define PERFDATA_BUFFER_H

#include <stddef.h>
#include <stdint.h>

struct buffer {
    uint8_t *bytes;
    size_t used, room;
};

/* It ends the process when there is no memory. */
void put(struct buffer *b, const void *bytes, size_t size);

#endif
