/* Kind: shell, init */
/*
 * All of this lies in the second act, boot/screen/text.c and the font with it, and yet serves a hypervisor that dies
 * long after that: the second act moves into the carved range with the image, stays mapped behind it
 * (boot/memory/paging.c), and nothing is ever put in its place. What stays knows it by a pointer (log_screen_set),
 * which is NULL where there is no such screen. Its code is missing from the capture (boot/memory/image.h), which tells
 * of .text alone; so it must not run with TraceEn set. It does not: VM exits clear TraceEn before anything is said, and
 * the few instructions around them cannot fault.
 */
#include "boot/screen/screen.h"

#include <stdarg.h>

#include "base/log.h"
#include "base/phys.h"
#include "boot/memory/page_entry.h"
#include "boot/screen/text.h"

/* The framebuffer has a window of its own, behind the GiB of the image: firmware may put it anywhere above the direct
 * map. It is UC-, so that an MTRR of firmware's can make it write-combining. */
#define WINDOW_BASE (IMAGE_BASE + (1ull << 30))
#define WINDOW_PAGES 512u

/* Written where it lies in physical memory: the second act is not writable. */
static const uint64_t window_table[WINDOW_PAGES] __attribute__((aligned(4096)));

static struct text_screen screen;

/* The entry for va in the table at level (3: PDPT, 1: page table) of the current page tables. */
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

void screen_map_again(void)
{
    if (screen.memory)
        *table_entry(WINDOW_BASE, 3) = (*table_entry((uint64_t)window_table, 1) & PAGE_ADDRESS) | PAGE_TABLE | PAGE_NX;
}

/* The guest may have drawn anything meanwhile: the first of the last words begin in the first row. */
static void screen_show(const char *line, enum log_words words)
{
    if (words == LOG_LAST_WORDS && !screen.once)
        text_begin_last(&screen);
    text_line(&screen, line, words == LOG_WORDS ? TEXT_PLAIN : TEXT_ALARM);
}

void screen_set(const struct mb2_framebuffer *framebuffer)
{
    const uint64_t bytes = text_bytes(framebuffer), in_page = framebuffer->pa % LARGE_PAGE;
    if (bytes == 0 || in_page + bytes > WINDOW_PAGES * LARGE_PAGE)
        return;
    map_window(framebuffer->pa - in_page, framebuffer->pa + bytes);
    text_begin(&screen, framebuffer, (volatile void *)(WINDOW_BASE + in_page));
    log_screen_set(screen_show);
}

_Noreturn void boot_fail(const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    format_text_v(text, sizeof text, format, args);
    va_end(args);
    log_panic("%s", text);
    log_panic("stopped: correct this and start the machine again");
    for (;;)
        __asm__ volatile("cli\n\thlt");
}
