/*
 * Pairs of linear addresses and physical pages, from the PAGE records of a capture. Pure.
 *
 * More pairs are inferred, because kernels map themselves with large pages (2 MiB, 1 GiB). If a physical page was
 * captured at one linear address only, and another page in the same 2 MiB of physical memory was executed at another
 * distance between linear and physical address, which a large page could have, the first page gets that address, too.
 */
#ifndef DECODE_CODE_ALIAS_H
#define DECODE_CODE_ALIAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/code/code_record.h"

struct alias {
    uint64_t gpa, gva;
};

struct aliases {
    struct alias *items;  /* by gpa, then by gva, without duplicates */
    struct alias *by_gva; /* the same by gva, then by gpa */
    size_t count;
};

/* false: no memory. */
bool aliases_find(struct aliases *aliases, const struct page_record *records, size_t count);
void aliases_free(struct aliases *aliases);

/* The first pair of by_gva at or above an address. */
size_t aliases_at(const struct aliases *aliases, uint64_t gva);

#endif
