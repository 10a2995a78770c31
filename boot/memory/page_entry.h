/*
 * Entries of root mode's page tables. Core.
 *
 * Source: SDM Vol. 3A, "4-Level Paging" and Table "Selection of PAT Entries with PAT, PCD, and PWT Flags"; root
 * mode's IA32_PAT has its reset value (boot/memory/paging.h).
 */
#ifndef BOOT_MEMORY_PAGE_ENTRY_H
#define BOOT_MEMORY_PAGE_ENTRY_H

#include <stdint.h>

#define PAGE_PRESENT (1ull << 0)
#define PAGE_WRITE (1ull << 1)
#define PAGE_PCD (1ull << 4) /* without PWT: UC-, PAT entry 2, which an MTRR can make write-combining */
#define PAGE_UNCACHEABLE (1ull << 3 | PAGE_PCD) /* PWT, PCD: UC, PAT entry 3, regardless of MTRRs */
#define PAGE_LARGE (1ull << 7)
#define PAGE_NX (1ull << 63)
#define PAGE_TABLE (PAGE_PRESENT | PAGE_WRITE)
#define PAGE_ADDRESS 0x000ffffffffff000ull

#define LARGE_PAGE (1ull << 21)

/* A page directory entry that maps the 2 MiB around pa for device registers: uncacheable. */
static inline uint64_t page_registers_entry(uint64_t pa)
{
    return (pa & PAGE_ADDRESS & ~(LARGE_PAGE - 1)) | PAGE_TABLE | PAGE_UNCACHEABLE | PAGE_LARGE | PAGE_NX;
}

/* The same for a framebuffer, which an MTRR set by firmware may make write-combining. */
static inline uint64_t page_framebuffer_entry(uint64_t pa)
{
    return (pa & PAGE_ADDRESS & ~(LARGE_PAGE - 1)) | PAGE_TABLE | PAGE_PCD | PAGE_LARGE | PAGE_NX;
}

#endif
