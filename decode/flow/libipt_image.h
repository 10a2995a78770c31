/*
 * The code that a decoder sees at a trace offset, as an image of libipt's.
 *
 * libipt finds a section by walking a list, so neighbouring pages are laid into one section: the image is built as a
 * whole for an offset, later versions of single pages are put over it, and after some hundreds of them it is built
 * anew.
 */
#ifndef DECODE_LIBIPT_IMAGE_H
#define DECODE_LIBIPT_IMAGE_H

#include <intel-pt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/code/code_pages.h"

struct libipt_image {
    const struct code_pages *pages;
    struct pt_image *image;
    struct pt_image_section_cache *cache;
    int file;        /* the pages of the last build, in memory */
    size_t next;     /* the first of pages->by_time that is not yet applied */
    size_t switched; /* versions put over since the build */
    uint64_t at;     /* trace offset for which it is */
};

/* Build the image for trace offset at. false: error says why. */
bool libipt_image_init(struct libipt_image *image, const struct code_pages *pages, uint64_t at, struct error *error);
void libipt_image_free(struct libipt_image *image);

/* Go forward: apply all versions that are valid at trace offset at. */
bool libipt_image_advance(struct libipt_image *image, uint64_t at);

/* Build anew where many pages have been put over. Only between two decoders: image->image changes. */
bool libipt_image_tidy(struct libipt_image *image, uint64_t at);

#endif
