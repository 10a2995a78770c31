/* Kind: shell, init */
/*
 * This file, boot/screen/text.c and the font lie in the init section, yet they also show the last messages of a
 * hypervisor that dies long after the boot. That is safe: the init section moves into the carved range together with
 * the image, stays mapped there (boot/memory/paging.c) and is never reused. Resident code reaches it only through a
 * pointer (log_screen_set), which is NULL where there is no such screen. A capture contains the code of .text only
 * (boot/memory/image.h), so this code must not run with TraceEn set. It does not: a VM exit clears TraceEn before
 * anything is logged, and the few instructions around it cannot fault.
 */
#include "boot/screen/screen.h"

#include "base/log.h"
#include "base/phys.h"
#include "boot/memory/page_entry.h"
#include "boot/screen/text.h"

/* The framebuffer may lie above the direct map, so it has a window of its own in the GiB after the image's. The window
 * is UC-, so that an MTRR set by firmware can make it write-combining. */
#define WINDOW_BASE (IMAGE_BASE + (1ull << 30))
#define WINDOW_PAGES 512u

/* The init section is mapped read-only: the table is written through its physical address. */
static const uint64_t window_table[WINDOW_PAGES] __attribute__((aligned(4096)));

static struct text_screen screen;

/* The entry that maps va in the current page tables, at a level of 3 (PDPT) or 1 (page table). */
static uint64_t *table_entry(uint64_t va, unsigned level)
{
    uint64_t table;
    __asm__ volatile("mov %%cr3, %0" : "=r"(table));
    for (unsigned i = 4;; i--) {
        uint64_t *entry = (uint64_t *)phys_to_virt(table & PAGE_ADDRESS) + (va >> (12 + 9 * (i - 1)) & 511);
        if (i == level)
            return entry;
        table = *entry;
    }
}

static void map_window(uint64_t first, uint64_t end)
{
    const uint64_t table_pa = *table_entry((uint64_t)window_table, 1) & PAGE_ADDRESS;
    uint64_t *table = phys_to_virt(table_pa);
    for (unsigned i = 0; i < WINDOW_PAGES && first + i * LARGE_PAGE < end; i++)
        table[i] = page_framebuffer_entry(first + i * LARGE_PAGE);
    *table_entry(WINDOW_BASE, 3) = table_pa | PAGE_TABLE | PAGE_NX;
}

void screen_remap(void)
{
    if (screen.memory)
        *table_entry(WINDOW_BASE, 3) = (*table_entry((uint64_t)window_table, 1) & PAGE_ADDRESS) | PAGE_TABLE | PAGE_NX;
}

/* The guest may have drawn anything by now, so the final messages start in the first row. */
static void screen_show(const char *line, enum log_level level)
{
    if (level == LOG_PANIC_OVER_GUEST && !screen.once)
        text_begin_final(&screen);
    text_line(&screen, line, level == LOG_NORMAL ? TEXT_PLAIN : TEXT_ALARM);
}

void screen_set(const struct boot_framebuffer *framebuffer)
{
    const uint64_t bytes = text_bytes(framebuffer), in_page = framebuffer->pa % LARGE_PAGE;
    if (bytes == 0 || in_page + bytes > WINDOW_PAGES * LARGE_PAGE)
        return;
    map_window(framebuffer->pa - in_page, framebuffer->pa + bytes);
    text_begin(&screen, framebuffer, (volatile void *)(WINDOW_BASE + in_page));
    log_screen_set(screen_show);
}
