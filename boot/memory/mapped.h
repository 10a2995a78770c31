/* Physical memory that every page table of the boot maps: the lower 4 GiB (boot/entry.S, boot/memory/paging.c). */
#ifndef BOOT_MEMORY_MAPPED_H
#define BOOT_MEMORY_MAPPED_H

#include <stdint.h>

#include "base/phys.h"

#define MAPPED_END (1ull << 32)

/* size bytes of physical memory at pa; NULL if they are not all mapped. */
static inline void *mapped_at(uint64_t pa, uint64_t size)
{
    return pa < MAPPED_END && size <= MAPPED_END - pa ? phys_to_virt(pa) : 0;
}

#endif
