/* The files that programs had mapped, each read once. */
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
    size_t file;  /* of the image; what is not there has none: */
    bool missing; /* no file, or none that can be read */
};

struct perf_files {
    const char *root; /* where names begin; NULL: the machine's own */
    struct perf_named *items;
    size_t count, room;
    uint64_t nr_missing; /* mappings whose code is not known: of files that are not there, [vdso] and the like */
};

/* The mapping as a piece of that space. false: error says why. */
bool perf_files_add(struct perf_files *files, struct foreign_image *image, const struct perf_mapping *mapping,
                    uint64_t space, struct error *error);
void perf_files_free(struct perf_files *files);

#endif
