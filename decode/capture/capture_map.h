/* Files of a capture in memory. */
#ifndef DECODE_CAPTURE_MAP_H
#define DECODE_CAPTURE_MAP_H

#include <stdbool.h>
#include <stdint.h>

struct capture_map {
    bool present;         /* the file is there */
    const uint8_t *bytes; /* NULL: it is empty */
    uint64_t size;
};

/* Map a file of the open directory, as long as it is now. false: it cannot be read, errno says why; it is not present.
 */
bool capture_map(struct capture_map *map, int directory, const char *name);

/* Offsets begin to end of a mapped file have been read: until they are again, they count no more as this process's
 * memory. bytes: of the whole file. */
void capture_map_pass(const uint8_t *bytes, uint64_t begin, uint64_t end);

void capture_unmap(struct capture_map *map);

#endif
