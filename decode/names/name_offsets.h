/*
 * Where in a page of code functions stand that somebody looks for. Wherever a file is put, its pages stay pages: so an
 * address at another offset is none of theirs, which spares asking for its name. Pure.
 */
#ifndef DECODE_NAMES_NAME_OFFSETS_H
#define DECODE_NAMES_NAME_OFFSETS_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/names/names.h"

struct name_offsets {
    /* How many offsets before this one are of a function that is wanted: of the kernel and its modules, of other files,
     * of both. */
    uint16_t upper[RECORD_PAGE_SIZE + 1], lower[RECORD_PAGE_SIZE + 1], both[RECORD_PAGE_SIZE + 1];
};

/* wants says of each symbol that names know whether it is looked for. */
void name_offsets_find(struct name_offsets *offsets, const struct names *names,
                       bool (*wants)(void *context, const char *symbol), void *context);

/* May one of them have an address from first on, up to last? False is certain. In a process's space the kernel has
 * nothing in the lower half; elsewhere it has as long as it starts. */
bool name_offsets_may(const struct name_offsets *offsets, bool of_process, uint64_t first, uint64_t last);

#endif
