/*
 * Root mode's address space: all physical memory at DIRECT_MAP_BASE, our image at IMAGE_BASE. Both lie in the range
 * that Linux leaves to hypervisors, so that no guest executes at the same linear addresses.
 */
#ifndef BASE_PHYS_H
#define BASE_PHYS_H

#define DIRECT_MAP_BASE 0xffff800000000000
#define IMAGE_BASE 0xffff87f000000000

#ifndef __ASSEMBLER__
#include <stdint.h>

static inline void *phys_to_virt(uint64_t pa)
{
    return (void *)(uintptr_t)(DIRECT_MAP_BASE + pa);
}

/* Only for pointers into the direct map: everything that the arena (boot/memory/carve.h) hands out. */
static inline uint64_t virt_to_phys(const void *va)
{
    return (uint64_t)(uintptr_t)va - DIRECT_MAP_BASE;
}
#endif

#endif
