/*
 * By how much the kernel was moved (KASLR): from its pages that were executed. They are the image's but for what the
 * kernel patches as it boots (alternatives, calls of the function tracer, static calls), so most of their bytes are
 * equal at the right place, and hardly any elsewhere. Pure.
 */
#ifndef DECODE_NAMES_KERNEL_SLIDE_H
#define DECODE_NAMES_KERNEL_SLIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/names/kernel_image.h"
#include "decode/names/page_set.h"

struct kernel_slide {
    bool known;
    uint64_t moved;    /* addresses of the guest are this much higher than those of the image */
    uint64_t physical; /* and this much higher than guest-physical addresses: modulo 2^64 */
    size_t pages;      /* that were looked at, and lie where the image has code if it was moved so */
    size_t agreeing;   /* of them, those that are the image's */
};

/* known stays false where no place is clearly the right one. */
void kernel_slide_find(struct kernel_slide *slide, const struct kernel_image *kernel, const struct page_set *pages);

/* Is this page the image's at an address that it was linked for, patches aside? */
bool kernel_slide_is(const struct kernel_image *kernel, uint64_t linked, const uint8_t bytes[RECORD_PAGE_SIZE]);

#endif
