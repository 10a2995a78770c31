/* Which ToPA entry was wrong, and why: each of the SDM's "ToPA Errors" (36.2.6.2), found from the output pointers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "pt/output/fault.h"
#include "pt/output/output.h"
#include "pt/output/scheme.h"

#define TABLES_PA 0x7000000ull
#define REGIONS_PA 0x10000000ull

static uint64_t entries[REGION_RING_MAX_TABLES * TOPA_TABLE_ENTRIES];
static struct output output;

/* Tables of a ring of two pages: 600 regions, slots 0 to 510, END, 512 to 600, END. */
static int setup(void **state)
{
    (void)state;
    const struct pt_options config = {.region_bytes = 8192, .nr_regions = 600};
    output = output_make(PT_SCHEME_TOPA, true, &config, TABLES_PA, REGIONS_PA);
    assert_int_equal(output.scheme->nr_slots(&output), 602);
    for (uint32_t i = 0; i < 602; i++)
        entries[i] = output.scheme->entry(&output, i);
    return 0;
}

static struct fault find(uint64_t table, uint32_t index, uint32_t offset)
{
    const struct fault_tables tables = {entries, TABLES_PA, 602};
    const struct topa_ptrs ptrs = {TABLES_PA + table * 4096, index, offset};
    return fault_find(&tables, ptrs, 39, false);
}

static void expect(struct fault fault, enum topa_error error, uint32_t slot)
{
    assert_int_equal(fault.error, error);
    assert_true(fault.found);
    assert_int_equal(fault.slot, slot);
    assert_int_equal(fault.entry, entries[slot]);
    assert_int_equal(fault_detail(&fault), error | slot << 8);
}

static void test_nothing_wrong(void **state)
{
    (void)state;
    expect(find(0, 3, 100), TOPA_OK, 3);
    expect(find(0, 511, 0), TOPA_OK, 512); /* END leads to the second table */
    expect(find(1, 89, 0), TOPA_OK, 0);    /* and its END back to the first */
}

static void test_entries(void **state)
{
    (void)state;
    entries[7] |= 2;
    expect(find(0, 7, 0), TOPA_RESERVED_BITS, 7);
    entries[8] |= 1ull << 40;
    expect(find(0, 8, 0), TOPA_ABOVE_MAXPHYADDR, 8);
    entries[9] ^= 0x1000;
    expect(find(0, 9, 0), TOPA_BASE_UNALIGNED, 9);
    entries[511] |= TOPA_INT;
    expect(find(0, 511, 0), TOPA_RESERVED_BITS, 511);
    entries[512] |= TOPA_END;
    entries[511] &= ~TOPA_INT;
    entries[512] &= ~(TOPA_INT | TOPA_STOP);
    expect(find(0, 511, 0), TOPA_END_FIRST, 512);
}

static void test_pointers(void **state)
{
    (void)state;
    expect(find(0, 3, 8192), TOPA_OFFSET_BEYOND, 3);
    assert_false(find(1, 400, 0).found); /* after the last entry */
    assert_false(find(5, 0, 0).found);
    struct fault fault =
        fault_find(&(struct fault_tables){entries, TABLES_PA, 602}, (struct topa_ptrs){TABLES_PA + 8, 0, 0}, 39, false);
    assert_int_equal(fault.error, TOPA_BASE_UNALIGNED);
    assert_false(fault.found);
    assert_int_equal(fault_detail(&fault), TOPA_BASE_UNALIGNED);
}

/* Every size of region, in every scheme's tables: no entry that the processor would refuse. */
static void test_sizes(void **state)
{
    (void)state;
    for (uint32_t code = 0; code < 16; code++) {
        struct pt_options config = {.region_bytes = 4096ull << code, .nr_regions = 5, .stop = code % 2};
        for (unsigned kind = 0; kind < 3;
             kind++) { /* many regions, one region, one region with an entry for each half */
            struct output made =
                output_make(kind == 0 ? PT_SCHEME_TOPA : PT_SCHEME_SINGLE, kind != 1, &config, TABLES_PA, 0x40000000);
            uint32_t slots = made.scheme->nr_slots(&made);
            uint64_t halves = kind == 2 && code > 0 ? 2 : 1;
            assert_int_equal(slots, kind == 0 ? 6 : halves + 1);
            for (uint32_t i = 0; i < slots; i++) {
                uint64_t entry = made.scheme->entry(&made, i);
                assert_int_equal(topa_entry_check(entry, i, 36), TOPA_OK);
                assert_int_equal(entry & TOPA_END, i == slots - 1);
                if (i < slots - 1)
                    assert_int_equal(topa_entry_size_bytes(entry), config.region_bytes / halves);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_nothing_wrong, setup),
        cmocka_unit_test_setup(test_entries, setup),
        cmocka_unit_test_setup(test_pointers, setup),
        cmocka_unit_test(test_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
