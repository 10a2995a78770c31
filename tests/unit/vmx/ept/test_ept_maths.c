/* vmx/ept/maths.c: EPT entries against the manual's tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "vmx/ept/maths.h"
#include "vmx/ept/mtrr.h"
#include "vmx/vmx.h"

static void pointer(void **state)
{
    (void)state;
    assert_int_equal(ept_pointer(0x12345000),
                     0x1234501e); /* SDM "Format of Extended-Page-Table Pointer": WB 6, 3 << 3 */
}

static void sizes_and_indices(void **state)
{
    (void)state;
    assert_int_equal(ept_entry_size(1), 0x1000);
    assert_int_equal(ept_entry_size(2), 0x200000);
    assert_int_equal(ept_entry_size(3), 0x40000000);
    assert_int_equal(ept_entry_size(4), 0x8000000000);
    const uint64_t gpa = 3ull << 39 | 5ull << 30 | 511ull << 21 | 7ull << 12 | 0x123;
    assert_int_equal(ept_index(gpa, 4), 3);
    assert_int_equal(ept_index(gpa, 3), 5);
    assert_int_equal(ept_index(gpa, 2), 511);
    assert_int_equal(ept_index(gpa, 1), 7);
}

static void leaves(void **state)
{
    (void)state;
    assert_int_equal(ept_leaf_entry(0x5000, 1, MEMORY_TYPE_WB, EPT_READ | EPT_EXECUTE), 0x5035);
    assert_int_equal(ept_leaf_entry(0x200000, 2, MEMORY_TYPE_UC, EPT_READ | EPT_WRITE), 0x200083);
    assert_int_equal(ept_leaf_entry(0x40000000, 3, MEMORY_TYPE_WB, EPT_ACCESS_MASK), 0x400000b7);
    assert_true(ept_entry_is_leaf(0x200083, 2));
    assert_true(ept_entry_is_leaf(0x5035, 1));
    assert_false(ept_entry_is_leaf(ept_table_entry(0x7000), 2));
    assert_false(ept_entry_is_leaf(0x200080, 2)); /* no access: not present */
    assert_false(ept_entry_present(0x5030));
    assert_int_equal(ept_table_entry(0x7000), 0x7007);
}

/* A split leaf maps each byte as before. */
static void split(void **state)
{
    (void)state;
    const uint64_t gib = ept_leaf_entry(0x40000000, 3, MEMORY_TYPE_WT, EPT_READ | EPT_WRITE);
    for (unsigned i = 0; i < EPT_TABLE_ENTRIES; i++) {
        const uint64_t two_mib = ept_split_entry(gib, 3, i);
        assert_int_equal(two_mib,
                         ept_leaf_entry(0x40000000 + i * 0x200000ull, 2, MEMORY_TYPE_WT, EPT_READ | EPT_WRITE));
    }
    const uint64_t two_mib = ept_split_entry(gib, 3, 511);
    for (unsigned i = 0; i < EPT_TABLE_ENTRIES; i++)
        assert_int_equal(ept_split_entry(two_mib, 2, i),
                         ept_leaf_entry(0x7fe00000 + i * 0x1000ull, 1, MEMORY_TYPE_WT, EPT_READ | EPT_WRITE));
}

static void pool(void **state)
{
    (void)state;
    const uint64_t gib = 1ull << 30;
    /* 512 tables for each GiB of memory, 1 directory for each GiB mapped, and a few. */
    assert_in_range(vmx_ept_pages_needed(gib), 512 + 4 + 2, 512 + 4 + 2 + 128);
    assert_in_range(vmx_ept_pages_needed(16 * gib), 16 * 513 + 2, 16 * 513 + 2 + 128);
    assert_int_equal(vmx_ept_pages_needed(gib + 1), vmx_ept_pages_needed(gib) + 1);
    /* Of large machines it may be less: 32 GiB split. */
    assert_int_equal(vmx_ept_pages_least(32 * gib), vmx_ept_pages_needed(32 * gib));
    assert_in_range(vmx_ept_pages_least(1024 * gib), 32 * 512 + 1024 + 2 + 1, 32 * 512 + 1024 + 2 + 1 + 128);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pointer), cmocka_unit_test(sizes_and_indices),
        cmocka_unit_test(leaves),  cmocka_unit_test(split),
        cmocka_unit_test(pool),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
