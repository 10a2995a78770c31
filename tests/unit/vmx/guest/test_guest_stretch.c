/* vmx/guest/walk.c: what a stretch of a page table has executable, as runs and as a sum. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/vmx/guest/guest_tables.h"

/* The 16 entries that contain the requested one; pages of the neighbours are not among them. */
static void bounds(void **state)
{
    (void)state;
    tables_make();
    for (unsigned i = 0; i < 512; i++)
        table_set(TABLE, i, (0x100000 + i * 0x1000) | P);
    const uint64_t table_start = LINEAR & ~0x1fffffull;
    for (unsigned i = 0; i < 512; i++) {
        const struct seen seen = tables_see(&four_levels, table_start + i * 0x1000 + 0xfff);
        const unsigned first = i & ~(ENTRIES - 1);
        assert_int_equal(seen.stretch.linear, table_start + first * 0x1000);
        assert_int_equal(seen.stretch.linear, guest_stretch_of(table_start + i * 0x1000));
        assert_int_equal(seen.stretch.table, TABLE + first * 8);
        assert_int_equal(guest_stretch_entries(&seen.stretch), ENTRIES);
        assert_int_equal(seen.nr, 1);
        run_is(&seen.runs[0], table_start + first * 0x1000, 0x100000 + first * 0x1000, ENTRIES, 0, 12);
    }
}

static void runs(void **state)
{
    static const uint64_t entries[] = {
        0x10000 | P,      0x11000 | P,      0x12000 | P,                        /* three pages in a row */
        0x14000 | P,      0x13000 | P,                                          /* not by rising address */
        0x14000 | P | US, 0x15000 | P | US, 0x16000 | P | US | G, 0x17000 | US, /* not present */
        0x18000 | P,      0x19000 | P | NX, 0x1a000 | P,
    };
    (void)state;
    tables_make();
    for (unsigned i = 0; i < sizeof entries / sizeof *entries; i++)
        table_set(TABLE, FIRST + i, entries[i]);
    table_set(TABLE, FIRST + 15, 0x20000 | P);
    table_set(TABLE, FIRST + 16, 0x21000 | P);
    const struct seen seen = tables_see(&four_levels, LINEAR);
    assert_int_equal(seen.nr, 8);
    run_is(&seen.runs[0], STRETCH, 0x10000, 3, 0, 12);
    run_is(&seen.runs[1], STRETCH + 0x3000, 0x14000, 1, 0, 12);
    run_is(&seen.runs[2], STRETCH + 0x4000, 0x13000, 1, 0, 12);
    run_is(&seen.runs[3], STRETCH + 0x5000, 0x14000, 2, RECORD_MAP_USER, 12);
    run_is(&seen.runs[4], STRETCH + 0x7000, 0x16000, 1, RECORD_MAP_USER | RECORD_MAP_GLOBAL, 12);
    run_is(&seen.runs[5], STRETCH + 0x9000, 0x18000, 1, 0, 12);
    run_is(&seen.runs[6], STRETCH + 0xb000, 0x1a000, 1, 0, 12);
    run_is(&seen.runs[7], STRETCH + 0xf000, 0x20000, 1, 0, 12);

    /* As many runs as there are entries, at most. */
    for (unsigned i = 0; i < ENTRIES; i++)
        table_set(TABLE, FIRST + i, i * 0x2000 | P);
    assert_int_equal(tables_see(&four_levels, LINEAR).nr, ENTRIES);
}

static uint64_t sum_with(unsigned index, uint64_t entry)
{
    table_set(TABLE, index, entry);
    return tables_see(&four_levels, LINEAR).pages.sum;
}

/* What leads elsewhere, or lets others execute, has another sum; what the processor notes by itself has not. */
static void sums(void **state)
{
    const uint64_t entry = 0x55aa5500f5000 | P | US;
    (void)state;
    tables_make();
    const uint64_t empty = tables_see(&four_levels, LINEAR).pages.sum, sum = sum_with(70, entry);
    assert_int_not_equal(sum, empty);
    for (unsigned bit = 12; bit < 52; bit++)
        assert_int_not_equal(sum_with(70, entry ^ 1ull << bit), sum);
    static const uint64_t counts[] = {P, US, G, NX};
    for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++)
        assert_int_not_equal(sum_with(70, entry ^ counts[i]), sum);
    static const unsigned nothing_said[] = {1, 3, 4, 5, 6, 7, 9, 10, 11, 52, 58, 59, 62};
    for (unsigned i = 0; i < sizeof nothing_said / sizeof *nothing_said; i++)
        assert_int_equal(sum_with(70, entry | 1ull << nothing_said[i]), sum);
    sum_with(70, 0);
    for (unsigned i = FIRST; i < FIRST + ENTRIES; i++) {
        assert_true((sum_with(i, entry) == sum) == (i == 70));
        table_set(TABLE, i, 0);
    }
    assert_int_equal(tables_see(&four_levels, LINEAR).pages.sum, empty);
    sum_with(71, entry);
    const uint64_t other_order = sum_with(70, 0x6000 | P);
    sum_with(71, 0x6000 | P);
    assert_int_not_equal(sum_with(70, entry), other_order); /* the same entries, changed about */
    table_set(TABLE, 71, 0);
    table_set(0x3000, 2, TABLE | P);
    assert_int_not_equal(tables_see(&four_levels, LINEAR).pages.sum, sum); /* U/S above */
    table_set(0x3000, 2, TABLE | P | US | ACCESSED | G);
    assert_int_equal(tables_see(&four_levels, LINEAR).pages.sum, sum);
}

/* One address, one stretch start, one page's start, and yet not as much mapped. */
static void sum_of_sizes(void **state)
{
    const uint64_t linear = 4ull << 39; /* where a page of each size begins */
    (void)state;
    tables_make();
    table_set(0x2000, 0, 0x3000 | P | US);
    table_set(0x3000, 0, TABLE | P | US);
    table_set(TABLE, 0, 0x40000000 | P | US);
    const struct seen small = tables_see(&four_levels, linear);
    table_set(0x3000, 0, 0x40000000 | P | US | PS);
    const struct seen two_mib = tables_see(&four_levels, linear);
    table_set(0x2000, 0, 0x40000000 | P | US | PS);
    const struct seen gib = tables_see(&four_levels, linear);
    assert_int_equal(small.runs[0].gpa, two_mib.runs[0].gpa);
    assert_int_equal(small.runs[0].gpa, gib.runs[0].gpa);
    assert_int_not_equal(small.pages.sum, two_mib.pages.sum);
    assert_int_not_equal(small.pages.sum, gib.pages.sum);
    assert_int_not_equal(two_mib.pages.sum, gib.pages.sum);
}

/* Linux maps around a fault from where the file's mapping begins; also after read-only data that is mapped, and
 * after an unmapped range. */
static void continues(void **state)
{
    (void)state;
    tables_make();
    for (unsigned i = 5; i < ENTRIES; i++)
        table_set(TABLE, FIRST + i, (0x100000 + i * 0x1000) | P);
    struct seen seen = tables_see(&four_levels, LINEAR);
    assert_true(guest_stretch_continues(&seen.stretch, seen.pages.executable));
    table_set(TABLE, FIRST, 0x100000 | P | NX);
    seen = tables_see(&four_levels, LINEAR);
    assert_true(guest_stretch_continues(&seen.stretch, seen.pages.executable));
    table_set(TABLE, FIRST, 0x100000 | P);
    seen = tables_see(&four_levels, LINEAR);
    assert_false(guest_stretch_continues(&seen.stretch, seen.pages.executable));
    tables_make();
    table_set(TABLE, FIRST + 3, 0x100000 | P | NX); /* nothing to execute */
    seen = tables_see(&four_levels, LINEAR);
    assert_false(guest_stretch_continues(&seen.stretch, seen.pages.executable));
    table_set(0x3000, 2, 0x200000 | P | PS);
    seen = tables_see(&four_levels, LINEAR);
    assert_false(guest_stretch_continues(&seen.stretch, seen.pages.executable));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds),       cmocka_unit_test(runs),      cmocka_unit_test(sums),
        cmocka_unit_test(sum_of_sizes), cmocka_unit_test(continues),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
