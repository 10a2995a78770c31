/*
 * Which pages of a capture are a kernel module's: its code is relocated as it is loaded, so a page is its if its bytes
 * are but for where relocations stand, and for some that the kernel patches. Pure.
 */
#ifndef DECODE_NAMES_MODULE_INDEX_H
#define DECODE_NAMES_MODULE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/names/module_text.h"
#include "decode/names/page_set.h"

/* What was executed at the kernel's addresses and is not the kernel's, by short runs of its bytes. */
struct module_index {
    struct module_run {
        uint64_t hash;
        uint32_t content, offset; /* of the page set; in the page */
    } * runs;                     /* by hash */
    size_t nr_runs, room;
    uint32_t *votes; /* for each page of the set, while a module's page is compared */
    size_t *tails;   /* for each: behind it the page is zeros, or traps, to its end */
};

/* Pages of the set that the function says are not wanted are left out. false: no memory. */
bool module_index_build(struct module_index *index, const struct page_set *pages,
                        bool (*wanted)(const void *context, const struct page_content *content), const void *context);
void module_index_free(struct module_index *index);

/* Claim a module's pages for text->object; *claimed is how many. false: no memory. */
bool module_index_claim(size_t *claimed, struct module_index *index, struct page_set *pages,
                        const struct module_text *text);

#endif
