/* The code of an address space at one moment: the pages of its lower half, and the kernel's. Pure. */
#ifndef DECODE_QUERY_CODE_IMAGE_H
#define DECODE_QUERY_CODE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/code/code_pages.h"
#include "decode/names/names.h"

struct code_image_page {
    uint64_t gva; /* page-aligned */
    const struct page_record *page;
};

struct code_image {
    struct code_image_page *pages; /* by address */
    size_t nr_pages, room;
    const struct name **symbols; /* by address; those with a symbol */
    size_t nr_symbols, symbols_room;
    uint64_t inferred; /* pages whose address is in no record, but all candidates have the same bytes */
};

/* Collect all known pages of a space (code_pages_space) at a trace offset of the CPU. false: no memory. */
bool code_image_collect(struct code_image *image, const struct code_pages *pages, uint64_t space, uint64_t at);

/* Add the symbols of the functions that begin on these pages. cr3: as in names_find. false: no memory. */
bool code_image_name(struct code_image *image, struct names *names, const struct code_pages *pages, uint64_t cr3,
                     uint64_t at);

void code_image_free(struct code_image *image);

#endif
