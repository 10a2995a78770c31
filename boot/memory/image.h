/* Our own image in memory. Shell; the symbols are linker.ld's. */
#ifndef BOOT_MEMORY_IMAGE_H
#define BOOT_MEMORY_IMAGE_H

#include <stdint.h>

#include "pt/engine.h"

extern const char image_start[], image_text_end[], image_rodata_end[], image_end[], moved_end[];

/* What moves into the carved range and stays, in bytes: a multiple of 4096. */
static inline uint64_t image_bytes(void)
{
    return (uint64_t)(image_end - image_start);
}

/* With the second act behind it. */
static inline uint64_t moved_bytes(void)
{
    return (uint64_t)(moved_end - image_start);
}

/* Send our code as records, for the decoder: the trace has a few root instructions around each VM entry. pa: where the
 * image is; cr3: root mode's. */
void image_send(struct pt_engine *pt, uint64_t pa, uint64_t cr3);

#endif
