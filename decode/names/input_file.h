/* Input files, mapped or unpacked into memory. */
#ifndef DECODE_NAMES_INPUT_FILE_H
#define DECODE_NAMES_INPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/capture/error.h"

struct input_file {
    const uint8_t *bytes;
    size_t size;
    uint8_t *unpacked; /* if it was packed: the allocation to be freed */
};

/* error may be NULL. false: error says why. */
bool input_file_open(struct input_file *file, const char *name, struct error *error);

/* The same, unpacked if the file is packed (.ko.xz, .ko.zst, .ko.gz). */
bool input_file_open_unpacked(struct input_file *file, const char *name, struct error *error);

/* Does a file begin with these bytes? size: at most 8. */
bool input_file_begins(const char *name, const void *magic, size_t size);

void input_file_close(struct input_file *file);

#endif
