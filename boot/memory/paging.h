/*
 * Root mode's address space: base/phys.h. Shell.
 */
#ifndef BOOT_MEMORY_PAGING_H
#define BOOT_MEMORY_PAGING_H

#include <stdint.h>

#include "base/arena.h"
#include "boot/memory/carve.h"

/* Bytes that paging_build takes for a machine whose RAM ends at top. */
uint64_t paging_bytes(uint64_t top);

/* Build the tables from arena: physical memory to 4 GiB and to top at DIRECT_MAP_BASE (read, write), our image, to be
 * at image_pa, at IMAGE_BASE (each section with its own rights), and the direct map's first 512 GiB once more at 0,
 * executable, until paging_drop_identity. Where map names no RAM and no ACPI tables, the direct map is uncacheable.
 * Returns the value for CR3; 0: the arena is too small. */
uint64_t paging_build(struct arena *arena, const struct memory_map *map, uint64_t top, uint64_t image_pa);

/* The window, for registers of the channel's device, which firmware may put anywhere above the direct map: show the 2
 * MiB around pa, uncacheable, in place of what it showed. Returns where pa is. The tables in use are those that
 * paging_build has built. */
void *paging_window(uint64_t pa);

/* Make IA32_PAT of this CPU what it is at reset, which the tables rely on (PWT and PCD: UC) and firmware may have
 * changed. */
void paging_set_pat(void);

/* Take the identity map away; cr3 as paging_build returned it. */
void paging_drop_identity(uint64_t cr3);

/* Copy the image [from, from + size) to to, load cr3, and call next on a new stack. boot/memory/relocate.S */
_Noreturn void image_move(void *to, const void *from, uint64_t size, uint64_t cr3, void *stack_top, void (*next)(void));

#endif
