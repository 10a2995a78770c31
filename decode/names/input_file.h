/* Files that names are read from, in memory. */
#ifndef DECODE_NAMES_INPUT_FILE_H
#define DECODE_NAMES_INPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/capture/error.h"

struct input_file {
    const uint8_t *bytes;
    size_t size;
    uint8_t *unpacked; /* it was packed: what is to be freed */
};

/* false: error says why, if it is not NULL. */
bool input_file_open(struct input_file *file, const char *name, struct error *error);

/* The same; unpacked, if it is packed by itself as modules are (.ko.xz, .ko.zst, .ko.gz). */
bool input_file_open_unpacked(struct input_file *file, const char *name, struct error *error);

/* Does a file begin as one that is worth opening? magic: of size bytes, at most 8. */
bool input_file_begins(const char *name, const void *magic, size_t size);

void input_file_close(struct input_file *file);

#endif
