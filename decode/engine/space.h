/*
 * The code pages of each address space at the trace offset that is being decoded: a cache of lookups in code_pages.h,
 * each of which is kept as long as it is valid.
 */
#ifndef DECODE_ENGINE_SPACE_H
#define DECODE_ENGINE_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/code/code_pages.h"
#include "decode/engine/hot.h"

/* A page of a space. */
struct space_page {
    uint64_t gva, until;  /* as of struct code_found */
    const uint8_t *bytes; /* NULL: this entry is free */
    const uint8_t *known; /* as of struct page_record */
};

struct space {
    uint64_t space;
    uint64_t version; /* unique to the space and its present pages: changes when one of them changes */
    uint64_t until;   /* the smallest until of its pages */
    struct space_page *pages;
    size_t size, count; /* size: a power of two, or 0 */
};

struct spaces {
    const struct code_pages *pages;
    uint64_t at;         /* trace offset */
    struct space **list; /* the last used ones first */
    size_t count, room;
    size_t nr_pages; /* in all of them */
    struct space *current;
    uint64_t versions;
    struct hot inferred; /* pages that were needed and that no record of their space names */
};

void spaces_init(struct spaces *spaces, const struct code_pages *pages);

/* Drop all cached pages, but keep the list of inferred ones. */
void spaces_forget(struct spaces *spaces);
void spaces_free(struct spaces *spaces);

/* Make a space current, as it is at trace offset at. false: no memory. */
bool spaces_set(struct spaces *spaces, uint64_t space, uint64_t at);

/* The page-aligned gva in the current space, until the next call. NULL: it is not known, or there is no memory. */
const struct space_page *spaces_page(struct spaces *spaces, uint64_t gva);

#endif
