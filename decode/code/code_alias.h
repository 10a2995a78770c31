/*
 * Which linear addresses lead to which physical pages, as far as the records of a capture name them. Pure.
 *
 * Beside what the records name, a pair is inferred where a physical page was captured at one linear address only, and
 * another page of the same 2 MiB of physical memory was executed at a linear address that a large page (2 MiB, 1 GiB)
 * could map there: kernels map themselves so.
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
    struct alias *items;  /* by gpa, then by gva; no pair twice */
    struct alias *by_gva; /* the same by gva, then by gpa */
    size_t count;
};

/* false: no memory. */
bool aliases_find(struct aliases *aliases, const struct page_record *records, size_t count);
void aliases_free(struct aliases *aliases);

/* The first pair of a physical page; count where there is none. */
size_t aliases_first(const struct aliases *aliases, uint64_t gpa);

/* The first pair of by_gva at or above an address. */
size_t aliases_at(const struct aliases *aliases, uint64_t gva);

#endif
