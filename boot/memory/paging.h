/* Root mode's address space, which base/phys.h lays out. */
#ifndef BOOT_MEMORY_PAGING_H
#define BOOT_MEMORY_PAGING_H

#include <stdint.h>

#include "base/arena.h"
#include "boot/memory/carve.h"

/* The most bytes that paging_build needs for a machine whose RAM ends at top. */
uint64_t paging_bytes(uint64_t top);

/* Build the page tables in arena. They map
 * - at DIRECT_MAP_BASE, readable and writable: physical memory up to the higher of 4 GiB and top; uncacheable where map
 *   has neither RAM nor ACPI tables
 * - at IMAGE_BASE: our image, which will be at image_pa, with rights by section
 * - at 0, executable: the first 512 GiB of the direct map again, until paging_drop_identity.
 * Returns the value for CR3; 0: the arena is too small. */
uint64_t paging_build(struct arena *arena, const struct memory_map *map, uint64_t top, uint64_t image_pa);

/* Map the 2 MiB around pa, uncacheable, at a fixed window, in place of what was mapped there. It serves registers of
 * the channel's device, which firmware may put above the direct map. The page tables from paging_build must be in use.
 * Returns the virtual address of pa. */
void *paging_window(uint64_t pa);

/* Set this CPU's IA32_PAT to its reset value, on which the page tables rely (PWT and PCD: UC). Firmware may have
 * changed it. */
void paging_set_pat(void);

/* Remove the identity map. cr3: as returned by paging_build. */
void paging_drop_identity(uint64_t cr3);

/* Copy the image of size bytes from source to target, load cr3, and call next on a new stack (boot/memory/relocate.S).
 */
_Noreturn void image_move(void *target, const void *source, uint64_t size, uint64_t cr3, void *stack_top,
                          void (*next)(void));

#endif
