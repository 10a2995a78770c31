/* Damages of the files of a capture: bytes that differ from what was received. */
#ifndef DECODE_DAMAGE_H
#define DECODE_DAMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/capture/checksum.h"

/* offset and size are those of the damaged bytes in the file. */
enum damage_kind {
    DAMAGE_NONE,
    DAMAGE_BYTES,    /* they differ from those that were written */
    DAMAGE_CUT,      /* the file is truncated at offset; size bytes are missing */
    DAMAGE_CHECKSUM, /* entries of the file of checksums are damaged */
    DAMAGE_NO_SUM,   /* their checksum is missing or damaged: they cannot be checked */
    DAMAGE_RECORD,   /* no record begins at offset; size bytes are skipped */
    DAMAGE_INDEX,    /* the index differs from events.bin */
    DAMAGE_LOST,     /* the records at offset and after it are preceded by size bytes of records that did not arrive */
    DAMAGE_NR_KINDS
};

struct damage {
    enum damage_kind kind;
    char file[CHECKSUM_FILE_NAME];
    uint64_t offset, size;
};

#define DAMAGES_KEPT 64u

struct damages {
    size_t count; /* the first DAMAGES_KEPT of them are in items */
    struct damage items[DAMAGES_KEPT];
};

/* Add a damage. It is merged with one of the same kind that ends where it begins. */
void damages_add(struct damages *damages, enum damage_kind kind, const char *file, uint64_t offset, uint64_t size);

/* Does one of them concern any of these bytes of the file? */
bool damages_touch(const struct damages *damages, const char *file, uint64_t offset, uint64_t size);

#endif
