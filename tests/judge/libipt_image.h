/*
 * The code that a decoder sees at a trace offset, as images of libipt's: one for each address space, since an image has
 * one mapping for all that is decoded with it.
 *
 * An image begins empty. libipt asks for what it does not find (its read-memory callback), and gets the page as a
 * section, which stays: so only what is executed is looked up, whatever a space could have. Sections of all spaces come
 * from one cache, so that what libipt has learned of a page serves all of them.
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
    uint64_t until; /* the first of the pages' */
};

struct libipt_images {
    const struct code_pages *pages;
    struct pt_image_section_cache *cache;
    struct libipt_image **spaces; /* the last used ones first */
    size_t count, room;
    struct libipt_image *current;
    size_t sections;     /* put into images since they were all empty */
    int highest;         /* of libipt's numbers of sections, which it gives from 1 on */
    uint64_t at;         /* trace offset for which current is */
    struct hot inferred; /* pages of spaces that were needed, and of which no record says what they are */
};

/* No space is current. false: error says why. */
bool libipt_images_init(struct libipt_images *images, const struct code_pages *pages, struct error *error);
void libipt_images_free(struct libipt_images *images);

/* Make current what a space has at trace offset at, which never goes back. Then current->image may be another one. */
bool libipt_images_set(struct libipt_images *images, uint64_t space, uint64_t at);

/* Throw away what has become too much. Only between two decoders: no space is current then. */
bool libipt_images_tidy(struct libipt_images *images);

#endif
