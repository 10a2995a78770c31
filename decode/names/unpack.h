/*
 * Unpacking of kernels and modules by the usual programs (gzip, xz, bzip2, zstd, lz4, lzop): no library is linked, and
 * only the program for a format that occurs must be installed.
 */
#ifndef DECODE_NAMES_UNPACK_H
#define DECODE_NAMES_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/capture/error.h"

/* Do the bytes begin like one of these formats? */
bool unpack_begins(const uint8_t *bytes, size_t size);

/* Unpack at most limit bytes. whole: the exact unpacked size, in which case bytes after the packed data are ignored; 0:
 * any size, and the program must exit with 0. name is for the error. free() the result. NULL: error says why. */
uint8_t *unpack(size_t *unpacked, const uint8_t *bytes, size_t size, size_t whole, size_t limit, const char *name,
                struct error *error);

#endif
