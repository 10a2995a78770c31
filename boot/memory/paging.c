/* Kind: shell, init */
#include "boot/memory/paging.h"

#include "base/msr.h"
#include "base/phys.h"
#include "boot/memory/image.h"
#include "boot/memory/page_entry.h"

#define PAT_AT_RESET 0x0007040600070406 /* SDM "Programming the PAT": WB, WT, UC-, UC, twice */

#define GIB (1ull << 30)
/* The image's page directory: its first entry leads to the image's page table, the next maps the window. */
#define WINDOW_BASE (IMAGE_BASE + LARGE_PAGE)
static uint64_t *image_directory;

static bool has_gib_pages(void)
{
    return cpuid_read(0x80000000, 0).eax >= 0x80000001 && (cpuid_read(0x80000001, 0).edx >> 26 & 1);
}

static uint64_t direct_map_end(uint64_t top)
{
    uint64_t end = top > 4 * GIB ? top : 4 * GIB;
    uint64_t limit = ((IMAGE_BASE - DIRECT_MAP_BASE) >> 39) << 39;
    return end < limit ? (end + GIB - 1) & ~(GIB - 1) : limit;
}

uint64_t paging_bytes(uint64_t top)
{
    uint64_t gibs = direct_map_end(top) / GIB;
    return 4096 * (1 + 3 + (gibs + 511) / 512 + gibs); /* PML4, the image's three tables, PDPTs, PDs */
}

/* Does [start, start + size) contain RAM or ACPI tables, so that it may be cached? MTRRs still apply. */
static bool is_memory(const struct memory_map *map, uint64_t start, uint64_t size)
{
    for (uint32_t i = 0; i < map->nr; i++) {
        const struct memory_range *m = &map->ranges[i];
        bool memory = m->type == MEMORY_USABLE || m->type == MEMORY_ACPI || m->type == MEMORY_NVS;
        if (memory && range_overlaps(m->range, (struct range){start, start + size}))
            return true;
    }
    return false;
}

static uint64_t *table_take(struct arena *arena)
{
    return arena_take(arena, 4096, 4096);
}

/* The PDPT entry for one GiB: a 1-GiB page if all of it is RAM and the CPU supports that, else a table of 2-MiB pages.
 * 0: the arena is full. */
static uint64_t gib_entry(struct arena *arena, const struct memory_map *map, uint64_t gib, bool gib_pages)
{
    if (gib_pages && memory_range_free(map, (struct range){gib, gib + GIB}, 0, 0))
        return gib | PAGE_TABLE | PAGE_LARGE;
    uint64_t *pd = table_take(arena);
    if (!pd)
        return 0;
    for (unsigned i = 0; i < 512; i++) {
        uint64_t pa = gib + i * LARGE_PAGE;
        pd[i] = pa | PAGE_TABLE | PAGE_LARGE | (is_memory(map, pa, LARGE_PAGE) ? 0 : PAGE_UNCACHEABLE);
    }
    return virt_to_phys(pd) | PAGE_TABLE;
}

static bool map_direct(struct arena *arena, const struct memory_map *map, uint64_t *pml4, uint64_t end)
{
    unsigned first = DIRECT_MAP_BASE >> 39 & 511;
    bool gib_pages = has_gib_pages();
    uint64_t *pdpt = NULL;
    for (uint64_t gib = 0; gib < end; gib += GIB) {
        unsigned index = gib / GIB % 512;
        if (index == 0) {
            pdpt = table_take(arena);
            if (!pdpt)
                return false;
            pml4[first + gib / (512 * GIB)] = virt_to_phys(pdpt) | PAGE_TABLE | PAGE_NX;
        }
        pdpt[index] = gib_entry(arena, map, gib, gib_pages);
        if (pdpt[index] == 0)
            return false;
    }
    pml4[0] = pml4[first] & ~PAGE_NX;
    return true;
}

static uint64_t image_page_rights(const char *va)
{
    if (va < image_text_end || va >= image_end)
        return PAGE_PRESENT;
    if (va < image_rodata_end)
        return PAGE_PRESENT | PAGE_NX;
    return PAGE_PRESENT | PAGE_WRITE | PAGE_NX;
}

static bool map_image(struct arena *arena, uint64_t *pml4, uint64_t image_pa)
{
    uint64_t *pdpt = table_take(arena), *pd = table_take(arena), *pt = table_take(arena);
    if (!pdpt || !pd || !pt)
        return false;
    pml4[IMAGE_BASE >> 39 & 511] = virt_to_phys(pdpt) | PAGE_TABLE;
    pdpt[IMAGE_BASE >> 30 & 511] = virt_to_phys(pd) | PAGE_TABLE;
    pd[IMAGE_BASE >> 21 & 511] = virt_to_phys(pt) | PAGE_TABLE;
    image_directory = pd;
    for (const char *va = image_start; va < moved_end; va += 4096) {
        uint64_t offset = (uint64_t)(va - image_start);
        pt[offset / 4096] = (image_pa + offset) | image_page_rights(va);
    }
    return true;
}

uint64_t paging_build(struct arena *arena, const struct memory_map *map, uint64_t top, uint64_t image_pa)
{
    uint64_t *pml4 = table_take(arena);
    if (!pml4 || !map_direct(arena, map, pml4, direct_map_end(top)) || !map_image(arena, pml4, image_pa))
        return 0;
    return virt_to_phys(pml4);
}

/* INVLPG on this CPU is enough: the other CPUs use the window later and cannot have cached the old entry. */
void *paging_window(uint64_t pa)
{
    uint8_t *window = (uint8_t *)WINDOW_BASE;
    *(volatile uint64_t *)&image_directory[WINDOW_BASE >> 21 & 511] = page_registers_entry(pa);
    __asm__ volatile("invlpg (%0)" : : "r"(window) : "memory");
    return window + pa % LARGE_PAGE;
}

void paging_set_pat(void)
{
    msr_write(IA32_PAT, PAT_AT_RESET); /* VISIBLE: the guest finds this value */
}

void paging_drop_identity(uint64_t cr3)
{
    uint64_t *pml4 = phys_to_virt(cr3);
    pml4[0] = 0;
    __asm__ volatile("mov %0, %%cr3" : : "r"(cr3) : "memory");
}
