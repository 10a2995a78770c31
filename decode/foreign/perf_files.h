/* The files that programs had mapped. Each is read once. */
#ifndef DECODE_FOREIGN_PERF_FILES_H
#define DECODE_FOREIGN_PERF_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/capture/error.h"
#include "decode/foreign/foreign_image.h"
#include "decode/foreign/perf_side.h"

struct perf_named {
    char *name;
    size_t file;  /* index in the image's files, unless missing */
    bool missing; /* there is no such regular file, or it cannot be read */
};

struct perf_files {
    const char *root; /* the directory that replaces /; NULL: none */
    struct perf_named *items;
    size_t count, room;
    size_t first_piece;  /* of a mapping, in the image */
    uint64_t nr_missing; /* mappings with unknown code: of missing files, [vdso] and the like */
};

/* Add the mapping as a piece of a space, from the TSC since on. false: error says why. */
bool perf_files_add(struct perf_files *files, struct foreign_image *image, const struct perf_mapping *mapping,
                    uint64_t space, uint64_t since, struct error *error);
void perf_files_free(struct perf_files *files);

#endif
