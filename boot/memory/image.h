/* The hypervisor's own image; linker.ld defines the symbols. */
#ifndef BOOT_MEMORY_IMAGE_H
#define BOOT_MEMORY_IMAGE_H

#include <stdint.h>

extern const char image_start[], image_text_end[], image_rodata_end[], image_end[], moved_end[];

/* Size of the resident image in bytes, a multiple of 4096. */
static inline uint64_t image_bytes(void)
{
    return (uint64_t)(image_end - image_start);
}

/* The same plus the init section, which moves into the carved range as well. */
static inline uint64_t moved_bytes(void)
{
    return (uint64_t)(moved_end - image_start);
}

#endif
