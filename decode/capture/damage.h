/* What is wrong with the files of a capture: which bytes are not those that were received. */
#ifndef DECODE_DAMAGE_H
#define DECODE_DAMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/capture/checksum.h"

/* offset and size: of the bytes in the file that it is about. */
enum damage_kind {
    DAMAGE_NONE,
    DAMAGE_BYTES,    /* they are not those that were written */
    DAMAGE_CUT,      /* the file ends at offset; size bytes more were written */
    DAMAGE_CHECKSUM, /* entries of the file of checksums are damaged themselves */
    DAMAGE_NO_SUM,   /* their checksum is missing or damaged: nothing can be said of them */
    DAMAGE_RECORD,   /* no record begins at offset; size bytes are left out */
    DAMAGE_INDEX,    /* the index says otherwise than events.bin */
    DAMAGE_NR_KINDS
};

struct damage {
    enum damage_kind kind;
    char file[CHECKSUM_FILE_NAME];
    uint64_t offset, size;
};

#define DAMAGES_KEPT 64u

struct damages {
    size_t count; /* of them the first DAMAGES_KEPT are in items */
    struct damage items[DAMAGES_KEPT];
};

/* Add one. What goes on where another one ended, in the same way, is one with it. */
void damages_add(struct damages *damages, enum damage_kind kind, const char *file, uint64_t offset, uint64_t size);

/* Is one of them this file's, and about one of these bytes? */
bool damages_touch(const struct damages *damages, const char *file, uint64_t offset, uint64_t size);

#endif
