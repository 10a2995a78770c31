/* Page directory entries for device registers and framebuffers, decoded as in SDM Vol. 3A, "4-Level Paging". */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "boot/memory/page_entry.h"

/* Table "Memory Types That Can Be Encoded With PAT" and IA32_PAT's value at reset. */
enum { TYPE_UC = 0, TYPE_WC = 1, TYPE_WT = 4, TYPE_WP = 5, TYPE_WB = 6, TYPE_UC_MINUS = 7 };
#define PAT_AT_RESET 0x0007040600070406ull

/* The physical address and memory type of an offset within the 2 MiB of a page directory entry. */
struct page {
    uint64_t pa;
    unsigned type;
    int present, writable, user, executable, large;
};

static struct page page_of(uint64_t entry, uint32_t offset)
{
    struct page page = {.present = entry & 1,
                        .writable = entry >> 1 & 1,
                        .user = entry >> 2 & 1,
                        .large = entry >> 7 & 1,
                        .executable = !(entry >> 63)};
    const unsigned index = (unsigned)(entry >> 12 & 1) << 2 | (unsigned)(entry >> 4 & 1) << 1 | (entry >> 3 & 1);
    page.type = PAT_AT_RESET >> 8 * index & 7;
    page.pa = (entry & 0x000fffffffe00000ull) + offset;
    return page;
}

static void registers(void **state)
{
    (void)state;
    /* A card below 4 GiB, at its end, right above it, where servers have theirs, at the end of 52 bits; RTL8139C+'s 256
     * bytes within a page. */
    static const uint64_t places[] = {0xfebc0000,   0xfffe0000,     0x100000000,     0x380000000000,
                                      0x4017001000, 0xfffffffe0000, 0xfffffffffe000, 0xfebf1100};
    for (unsigned i = 0; i < sizeof places / sizeof places[0]; i++) {
        const uint64_t pa = places[i];
        const struct page page = page_of(page_registers_entry(pa), (uint32_t)(pa % (2u << 20)));
        assert_int_equal(page.pa, pa);
        assert_true(page.present && page.writable && page.large);
        assert_true(!page.user && !page.executable);
        assert_int_equal(page.type, TYPE_UC);
    }
}

/* A framebuffer may start within a page, and above 4 GiB, where newer firmware places the display's 64-bit BAR. */
static void framebuffers(void **state)
{
    (void)state;
    static const uint64_t places[] = {0xe0000000,   0xd0050000,     0x4000000000,
                                      0x6000000000, 0x380123450000, 0xfffffffe00000};
    for (unsigned i = 0; i < sizeof places / sizeof places[0]; i++) {
        const uint64_t first = places[i] & ~((2ull << 20) - 1);
        for (uint64_t at = places[i]; at < places[i] + 3840 * 2160 * 4 && at < 1ull << 52; at += 0x12345) {
            /* The window's table starts with the first page. */
            const uint64_t entry = page_framebuffer_entry(first + ((at - first) >> 21 << 21));
            const struct page page = page_of(entry, (uint32_t)(at % (2u << 20)));
            assert_int_equal(page.pa, at);
            assert_true(page.present && page.writable && page.large && !page.user && !page.executable);
            assert_int_equal(page.type, TYPE_UC_MINUS);
        }
    }
}

static void reserved_bits_are_clear(void **state)
{
    (void)state;
    /* Bits 20:13 of an entry for a 2-MByte page are reserved; we leave 62:52 and 11:8 clear. */
    for (unsigned shift = 0; shift < 52; shift++)
        assert_int_equal(
            (page_registers_entry(1ull << shift) | page_framebuffer_entry(1ull << shift)) & 0x7ff00000001fef00ull, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers),
        cmocka_unit_test(framebuffers),
        cmocka_unit_test(reserved_bits_are_clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
