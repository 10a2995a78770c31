/*
 * Which pages of a capture come from a kernel module. Its code is relocated as it is loaded, so a page matches if its
 * bytes are equal except at relocations and for some that the kernel patches. Pure.
 */
#ifndef DECODE_NAMES_MODULE_INDEX_H
#define DECODE_NAMES_MODULE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/names/module_text.h"
#include "decode/names/page_set.h"

/* Executed pages that may come from modules, indexed by hashes of short runs of their bytes. */
struct module_index {
    struct module_run {
        uint64_t hash;
        uint32_t content, offset; /* index in the page set, offset in the page */
    } * runs;                     /* sorted by hash */
    size_t nr_runs, room;
    uint32_t *votes; /* for each page of the set: its runs that equal the module page which is being compared */
    size_t *tails;   /* for each page of the set: the offset from which on it is only zeros, or only INT3 */
};

/* wanted() selects the pages. false: out of memory. */
bool module_index_build(struct module_index *index, const struct page_set *pages,
                        bool (*wanted)(const void *context, const struct page_content *content), const void *context);
void module_index_free(struct module_index *index);

/* Claim a module's pages for text->object; *claimed is how many. false: out of memory. */
bool module_index_claim(size_t *claimed, struct module_index *index, struct page_set *pages,
                        const struct module_text *text);

#endif
