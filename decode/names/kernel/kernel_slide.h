/*
 * How far KASLR moved the kernel, from its executed pages. They equal the image except for what the kernel patches as
 * it boots (alternatives, calls of the function tracer, static calls): at the right distance most bytes are equal, at
 * any other hardly any. Pure.
 */
#ifndef DECODE_NAMES_KERNEL_KERNEL_SLIDE_H
#define DECODE_NAMES_KERNEL_KERNEL_SLIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/names/kernel/kernel_image.h"
#include "decode/names/page_set.h"

struct kernel_slide {
    bool known;
    uint64_t moved;    /* guest linear address - image address, modulo 2^64 */
    uint64_t physical; /* image address - guest-physical address, modulo 2^64 */
    size_t pages;      /* that were compared, at addresses where the moved image has code */
    size_t agreeing;   /* of those, the ones that equal the image */
};

/* known stays false if no distance is clearly the right one. */
void kernel_slide_find(struct kernel_slide *slide, const struct kernel_image *kernel, const struct page_set *pages);

/* Does this page equal the image at a linked address, except for patches? */
bool kernel_slide_is(const struct kernel_image *kernel, uint64_t linked, const uint8_t bytes[RECORD_PAGE_SIZE]);

#endif
