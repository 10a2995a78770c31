#include "tests/unit/vmx/guest/guest_tables.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

uint8_t guest_memory[PAGES * 4096] __attribute__((aligned(4096)));
unsigned entry_size_expected;

bool entry_read(void *context, uint64_t gpa, unsigned size, uint64_t *entry)
{
    assert_ptr_equal(context, guest_memory);
    assert_int_equal(size, entry_size_expected);
    assert_int_equal(gpa % size, 0);
    if (gpa > sizeof guest_memory - size)
        return false;
    *entry = 0;
    memcpy(entry, guest_memory + gpa, size);
    return true;
}

void table_set(uint64_t table, unsigned index, uint64_t entry)
{
    memcpy(guest_memory + table + index * entry_size_expected, &entry, entry_size_expected);
}

const struct guest_paging four_levels = {PG, 0x1000, PAE | PGE, LMA | NXE},
                          five_levels = {PG, 0x1000, PAE | PGE | LA57, LMA | NXE}, pae = {PG, 0x1000, PAE | PGE, 0},
                          two_levels = {PG, 0x1000, PSE | PGE, 0};

void tables_make(void)
{
    memset(guest_memory, 0, sizeof guest_memory);
    entry_size_expected = 8;
    table_set(0x1000, 4, 0x2000 | P | US);
    table_set(0x2000, 3, 0x3000 | P | US);
    table_set(0x3000, 2, TABLE | P | US);
}

bool tables_walk(struct guest_stretch *stretch, const struct guest_paging *paging, uint64_t linear)
{
    return guest_walk(stretch, paging, linear, entry_read, guest_memory);
}

struct seen tables_see(const struct guest_paging *paging, uint64_t linear)
{
    struct seen seen;

    assert_true(tables_walk(&seen.stretch, paging, linear));
    const void *table = seen.stretch.large ? NULL : guest_memory + seen.stretch.table;
    guest_stretch_read(&seen.pages, &seen.stretch, table);
    seen.nr = guest_stretch_runs(&seen.stretch, &seen.pages, seen.runs);
    return seen;
}

void run_is(const struct record_map_run *run, uint64_t linear, uint64_t gpa, uint32_t pages, unsigned flags,
            unsigned shift)
{
    assert_int_equal(run->linear, linear);
    assert_int_equal(run->gpa, gpa);
    assert_int_equal(run->pages, pages);
    assert_int_equal(run->flags, flags);
    assert_int_equal(run->page_shift, shift);
}
