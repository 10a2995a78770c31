/* Files of a capture, mapped into memory. */
#ifndef DECODE_CAPTURE_MAP_H
#define DECODE_CAPTURE_MAP_H

#include <stdbool.h>
#include <stdint.h>

struct capture_map {
    bool present;         /* the file exists */
    const uint8_t *bytes; /* NULL: the file is empty */
    uint64_t size;
};

/* Map a file of the open directory, with its current size. false: it cannot be read, errno says why, and present is
 * false. */
bool capture_map(struct capture_map *map, int directory, const char *name);

/* Release the memory of offsets begin to end of a mapped file, after they were read: they can be read again, and until
 * then do not count as this process's memory. bytes: of the whole file. */
void capture_map_pass(const uint8_t *bytes, uint64_t begin, uint64_t end);

void capture_unmap(struct capture_map *map);

#endif
