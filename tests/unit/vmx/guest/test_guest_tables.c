/* vmx/guest/walk.c: all that user mode may execute in a space, against the walk to each single address. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/vmx/guest/guest_tables.h"

#define MOST_FOUND 4096u

static struct guest_stretch found[MOST_FOUND];
static unsigned nr_found;

static const void *table_read(void *context, uint64_t table)
{
    assert_ptr_equal(context, guest_memory);
    return table < sizeof guest_memory ? guest_memory + table : NULL;
}

static void stretch_found(void *context, const struct guest_stretch *stretch)
{
    assert_ptr_equal(context, guest_memory);
    assert_true(nr_found < MOST_FOUND);
    found[nr_found++] = *stretch;
}

static unsigned stop_after, nr_tables, nr_parts; /* stop_after: 0: never */

static bool stop(void *context)
{
    assert_ptr_equal(context, guest_memory);
    return ++nr_tables > stop_after && stop_after;
}

static void look(const struct guest_paging *paging)
{
    uint64_t from = 0;
    nr_found = nr_parts = 0;
    do {
        nr_tables = 0;
        nr_parts++;
        const uint64_t next =
            guest_tables_each(&(struct guest_tables){table_read, stretch_found, stop, guest_memory}, paging, from);
        assert_true(next == 0 || next > from);
        from = next;
    } while (from);
    for (unsigned i = 1; i < nr_found; i++)
        assert_true(found[i].linear > found[i - 1].linear);
}

/* Is it what the walk to one of its addresses finds? */
static void is_as_walked(const struct guest_stretch *is, const struct guest_paging *paging)
{
    struct guest_stretch walked;
    assert_true(tables_walk(&walked, paging, is->linear));
    assert_int_equal(is->linear, walked.linear);
    assert_int_equal(is->size, walked.size);
    assert_int_equal(is->table, walked.table);
    assert_int_equal(is->large, walked.large);
    assert_int_equal(is->wide, walked.wide);
    assert_int_equal(is->nx_counts, walked.nx_counts);
    assert_int_equal(is->global_counts, walked.global_counts);
    assert_true(is->user && walked.user);
    if (is->large)
        assert_int_equal(is->large_shift, walked.large_shift);
}

static bool any_executable(const struct guest_stretch *stretch)
{
    struct guest_stretch_pages pages;
    if (stretch->large)
        return true;
    guest_stretch_read(&pages, stretch, guest_memory + stretch->table);
    return pages.executable;
}

/* So many stretches begin at these addresses, by walking to each. */
static unsigned walked_from(const struct guest_paging *paging, uint64_t linear, uint64_t step, unsigned count)
{
    struct guest_stretch stretch;
    unsigned nr = 0;
    for (unsigned i = 0; i < count; i++, linear += step)
        nr += tables_walk(&stretch, paging, linear) && stretch.linear == linear && stretch.user &&
              any_executable(&stretch);
    return nr;
}

static uint64_t random_bits(void)
{
    return P * (rand() % 8 != 0) | US * (rand() % 8 != 0) | NX * (rand() % 8 == 0);
}

/* Table number t (1 to 7) is one of level 4, two of each of the others; each entry leads to one of the next level. */
static void tables_draw(void)
{
    static const uint64_t next[] = {0, 0x2000, 0x4000, 0x4000, 0x6000, 0x6000, 0x100000, 0x100000};
    memset(guest_memory, 0, sizeof guest_memory);
    entry_size_expected = 8;
    for (uint64_t t = 1; t < 8; t++)
        for (unsigned n = 0; n < (t < 6 ? 6u : 40u); n++) {
            const unsigned index = n < 3 ? n * 255 : (unsigned)rand() % 512;
            const bool large = t > 1 && t < 6 && rand() % 8 == 0;
            table_set(t * 0x1000, index,
                      (large ? 0x40000000u | PS : next[t] + 0x1000u * (unsigned)(rand() % 2)) | random_bits());
        }
}

static void as_the_walk_to_each_address(void **state)
{
    (void)state;
    unsigned all = 0;
    srand(1);
    for (unsigned round = 0; round < 20; round++) {
        unsigned walked = 0;
        tables_draw();
        look(&four_levels);
        for (unsigned i = 0; i < nr_found; i++)
            is_as_walked(&found[i], &four_levels);
        for (uint64_t i4 = 0; i4 < 256; i4++)
            for (uint64_t i3 = 0; i3 < 512; i3++) {
                struct guest_stretch stretch;
                const uint64_t at = i4 << 39 | i3 << 30;
                uint64_t entry4 = 0, entry3 = 0;
                memcpy(&entry4, guest_memory + 0x1000 + i4 * 8, 8);
                memcpy(&entry3, guest_memory + (entry4 & 0xf000) + i3 * 8, 8);
                if (!(entry4 & entry3 & P))
                    continue;
                if (tables_walk(&stretch, &four_levels, at) && stretch.large && stretch.large_shift == 30)
                    walked += stretch.user;
                else
                    walked += walked_from(&four_levels, at, 0x10000, 0x4000);
            }
        assert_int_equal(nr_found, walked);
        all += nr_found;
    }
    assert_true(all > 1000);
}

/* Any number of parts finds what one finds. */
static void in_parts(void **state)
{
    static struct guest_stretch whole[MOST_FOUND];
    (void)state;
    srand(2);
    for (unsigned round = 0; round < 20; round++) {
        tables_draw();
        look(&four_levels);
        assert_int_equal(nr_parts, 1);
        const unsigned nr = nr_found, tables = nr_tables;
        memcpy(whole, found, sizeof whole);
        for (stop_after = 8; stop_after < 40; stop_after += 3) {
            look(&four_levels);
            assert_int_equal(nr_found, nr);
            assert_memory_equal(found, whole, nr * sizeof *found);
            assert_true(nr_parts >= tables / stop_after);
        }
        stop_after = 0;
    }
}

/* One table, entered 512 times in each of three levels: each call is bounded. */
static void tables_entered_again_and_again(void **state)
{
    (void)state;
    memset(guest_memory, 0, sizeof guest_memory);
    entry_size_expected = 8;
    for (unsigned i = 0; i < 512; i++)
        for (uint64_t table = 0x1000; table < 0x4000; table += 0x1000)
            table_set(table, i, (table + 0x1000) | P | US);
    stop_after = 1000;
    nr_found = nr_tables = 0;
    const uint64_t next =
        guest_tables_each(&(struct guest_tables){table_read, stretch_found, stop, guest_memory}, &four_levels, 0);
    assert_int_equal(nr_tables, 1001);
    assert_int_equal(next % (512 << 12), 0);
    assert_true(next > 900ull * (512 << 12) && next < 1000ull * (512 << 12));
    stop_after = 0;
}

/* Bit 63 is set in the addresses of the upper half. */
static void only_the_lower_half(void **state)
{
    (void)state;
    tables_make();
    table_set(TABLE, 70, 0x100000 | P | US);
    table_set(0x1000, 255, 0x2000 | P | US);
    table_set(0x1000, 256, 0x2000 | P | US);
    table_set(0x1000, 511, 0x2000 | P | US);
    look(&four_levels);
    assert_int_equal(nr_found, 2);
    assert_int_equal(found[0].linear, STRETCH);
    assert_int_equal(found[1].linear, (STRETCH & ~(511ull << 39)) | 255ull << 39);
}

static void other_modes(void **state)
{
    (void)state;
    tables_make();
    table_set(TABLE, 70, 0x100000 | P | US);
    table_set(0x5000, 3, 0x1000 | P | US);
    const struct guest_paging deep = {five_levels.cr0, 0x5000, five_levels.cr4, five_levels.efer};
    look(&deep);
    assert_int_equal(nr_found, 1);
    is_as_walked(&found[0], &deep);

    /* Entries of the uppermost of three tables have no rights; they are four. */
    tables_make();
    table_set(TABLE, 70, 0x100000 | P | US);
    table_set(0x5020, 3, 0x3000 | P);
    table_set(0x5020, 4, 0x3000 | P);
    const struct guest_paging three = {pae.cr0, 0x5020, pae.cr4, pae.efer};
    look(&three);
    assert_int_equal(nr_found, 1);
    is_as_walked(&found[0], &three);

    memset(guest_memory, 0, sizeof guest_memory);
    entry_size_expected = 4;
    table_set(0x1000, 5, 0x2000 | P | US);
    table_set(0x1000, 1023, 0x400000 | P | US | PS);
    table_set(0x2000, 1023, 0x7000 | P | US);
    look(&two_levels);
    assert_int_equal(nr_found, 2);
    for (unsigned i = 0; i < nr_found; i++)
        is_as_walked(&found[i], &two_levels);

    const struct guest_paging off = {0, 0x1000, 0, 0};
    look(&off);
    assert_int_equal(nr_found, 0);
}

/* What leads out of memory leads nowhere. */
static void no_table_there(void **state)
{
    (void)state;
    tables_make();
    table_set(TABLE, 70, 0x100000 | P | US);
    table_set(0x2000, 4, 0x8000000000 | P | US);
    look(&four_levels);
    assert_int_equal(nr_found, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_the_walk_to_each_address),
        cmocka_unit_test(in_parts),
        cmocka_unit_test(tables_entered_again_and_again),
        cmocka_unit_test(only_the_lower_half),
        cmocka_unit_test(other_modes),
        cmocka_unit_test(no_table_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
