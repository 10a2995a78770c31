/*
 * Page offsets of wanted functions. Files are mapped in whole pages, so a function keeps its offset in the page
 * wherever its file is mapped: an address at another offset cannot belong to it, and its name need not be looked up.
 * Pure.
 */
#ifndef DECODE_NAMES_NAME_OFFSETS_H
#define DECODE_NAMES_NAME_OFFSETS_H

#include <stdbool.h>
#include <stdint.h>

#include "decode/names/names.h"

struct name_offsets {
    /* How many offsets before this one belong to a wanted function: of the kernel and its modules; of other files; of
     * both. */
    uint16_t upper[RECORD_PAGE_SIZE + 1], lower[RECORD_PAGE_SIZE + 1], both[RECORD_PAGE_SIZE + 1];
};

/* is_wanted() selects the symbols. */
void name_offsets_find(struct name_offsets *offsets, const struct names *names,
                       bool (*is_wanted)(void *context, const char *symbol), void *context);

/* May a wanted function cover an address in [first, last]? false is certain. In the space of a process the kernel has
 * no code in the lower half; in other spaces it may, while it boots. */
bool name_offsets_may(const struct name_offsets *offsets, bool of_process, uint64_t first, uint64_t last);

#endif
