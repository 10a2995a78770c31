/*
 * Unpacking what is packed as kernels and modules are: by the programs that everyone has for it (gzip, xz, bzip2, zstd,
 * lz4, lzop), so that nothing is linked and only what is met is needed.
 */
#ifndef DECODE_NAMES_UNPACK_H
#define DECODE_NAMES_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/capture/error.h"

/* Whether the bytes begin as something packed. */
bool unpack_begins(const uint8_t *bytes, size_t size);

/* Unpack at most limit bytes. whole: so many it must be, and what follows the packed bytes does not matter; 0: as many
 * as there are, and the program must find nothing wrong. name is for the error. NULL: error says why. free() it. */
uint8_t *unpack(size_t *unpacked, const uint8_t *bytes, size_t size, size_t whole, size_t limit, const char *name,
                struct error *error);

#endif
