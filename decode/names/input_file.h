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

/* false: error says why. Errors with no file to be sorry for are silent where error is NULL. */
bool input_file_open(struct input_file *file, const char *name, struct error *error);

/* The same; unpacked, if it is packed by itself as modules are (.ko.xz, .ko.zst, .ko.gz). */
bool input_file_open_unpacked(struct input_file *file, const char *name, struct error *error);
void input_file_close(struct input_file *file);

#endif
