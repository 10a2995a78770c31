/*
 * The index of a capture: one entry for each record of events.bin, so that readers find records without reading the
 * pages of code. Little-endian, in the order of events.bin. It is redundant: readers can do without it.
 */
#ifndef DECODE_INDEX_H
#define DECODE_INDEX_H

#include <stdint.h>

#include "serial/wire/record.h"

struct index_entry {
    uint64_t events_offset; /* of the record's header in events.bin */
    struct record_header header;
};
_Static_assert(sizeof(struct index_entry) == 32, "docs/capture.md: an index entry is 32 bytes");

#endif
