/*
 * The code at a trace offset, as images of libipt: one for each address space, because an image has one mapping for all
 * that is decoded with it.
 *
 * An image is empty at first. When libipt does not find a page (its read-memory callback), the page is added as a
 * section: so only executed pages are looked up. The sections of all spaces come from one cache, so that all spaces
 * share what libipt caches about a page.
 */
#ifndef DECODE_LIBIPT_IMAGE_H
#define DECODE_LIBIPT_IMAGE_H

#include <intel-pt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/code/code_pages.h"
#include "decode/engine/hot.h"

/* A page that is in an image. */
struct libipt_page {
    uint64_t gva, until;            /* as of struct code_found */
    const struct page_record *page; /* whose bytes they are */
};

/* What one space has. */
struct libipt_image {
    struct libipt_images *all;
    uint64_t space;
    struct pt_image *image;
    struct libipt_page *pages;
    size_t count, room;
    uint64_t until; /* the smallest until of the pages */
    uint64_t base;  /* of the code segment: what is in the image begins there */
};

struct libipt_images {
    const struct code_pages *pages;
    struct pt_image_section_cache *cache;
    struct libipt_image **spaces; /* the last used ones first */
    size_t count, room;
    struct libipt_image *current;
    size_t sections;     /* added to images since all were empty */
    int highest;         /* the highest section number of libipt; they begin with 1 */
    uint64_t at;         /* trace offset for which current is valid */
    struct hot inferred; /* pages that were needed and that no record of their space names */
};

/* No space is current. false: error says why. */
bool libipt_images_init(struct libipt_images *images, const struct code_pages *pages, struct error *error);
void libipt_images_free(struct libipt_images *images);

/* Make a space current, as it is at trace offset at, which must not decrease. current->image may change. */
bool libipt_images_set(struct libipt_images *images, uint64_t space, uint64_t at);

/* Empty the images if they have become too large. Only between two decoders; no space is current afterwards. */
bool libipt_images_tidy(struct libipt_images *images);

#endif
