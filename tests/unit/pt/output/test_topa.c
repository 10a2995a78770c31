/*
 * ToPA: entry layout and checks, the output pointers, and the walk over one table, chained tables and a single region.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "pt/output/topa.h"

#define TABLE_A 0x100000ull
#define TABLE_B 0x200000ull
#define MAXPHYADDR 39u

static uint64_t table_a[TOPA_TABLE_ENTRIES], table_b[TOPA_TABLE_ENTRIES];

static uint64_t read_entry(void *context, uint64_t pa)
{
    (void)context;
    if (pa >= TABLE_A && pa < TABLE_A + 0x1000)
        return table_a[(pa - TABLE_A) / 8];
    assert_in_range(pa, TABLE_B, TABLE_B + 0xfff);
    return table_b[(pa - TABLE_B) / 8];
}

static enum topa_error load(struct topa_walk *walk)
{
    return topa_walk_load(walk, read_entry, NULL, MAXPHYADDR, false);
}

static void test_sizes(void **state)
{
    (void)state;
    for (int code = 0; code < 16; code++) {
        uint64_t size = 4096ull << code;
        assert_int_equal(topa_size_code(size), code);
        assert_int_equal(topa_entry_size_bytes(0x8000000 | (uint64_t)code << 6 | TOPA_INT), size);
    }
    assert_int_equal(topa_size_code(0), -1);
    assert_int_equal(topa_size_code(2048), -1);
    assert_int_equal(topa_size_code(12288), -1);
    assert_int_equal(topa_size_code(TOPA_MAX_REGION_BYTES * 2ull), -1);
}

/* Literal values of Table "ToPA Table Entry Fields" and of the MSR's layout. */
static void test_layout(void **state)
{
    (void)state;
    assert_int_equal(TOPA_END, 0x1);
    assert_int_equal(TOPA_INT, 0x4);
    assert_int_equal(TOPA_STOP, 0x10);
    struct topa_ptrs ptrs = topa_ptrs_unpack(0x12345000, 0x00001000000001ff);
    assert_int_equal(ptrs.table_pa, 0x12345000);
    assert_int_equal(ptrs.index, 3);
    assert_int_equal(ptrs.offset, 0x1000);
    assert_int_equal(topa_ptrs_pack(ptrs), 0x00001000000001ff);
    ptrs.index = 0x1ffffff, ptrs.offset = 0x7ffffff;
    assert_int_equal(topa_ptrs_pack(ptrs), 0x07ffffffffffffff);
}

static void test_entry_check(void **state)
{
    (void)state;
    assert_int_equal(topa_entry_check(0x80000 | 7 << 6 | TOPA_INT | TOPA_STOP, 0, MAXPHYADDR), TOPA_OK);
    assert_int_equal(topa_entry_check(0x40000 | 7 << 6, 0, MAXPHYADDR), TOPA_BASE_UNALIGNED);
    for (unsigned bit = 1; bit <= 11; bit++) {
        bool reserved = bit == 1 || bit == 3 || bit == 5 || bit >= 10;
        enum topa_error expected = reserved ? TOPA_RESERVED_BITS : TOPA_OK;
        assert_int_equal(topa_entry_check(0x8000000 | 1ull << bit, 5, MAXPHYADDR), expected);
    }
    assert_int_equal(topa_entry_check(1ull << 38, 0, MAXPHYADDR), TOPA_OK);
    assert_int_equal(topa_entry_check(1ull << 39, 0, MAXPHYADDR), TOPA_ABOVE_MAXPHYADDR);
    assert_int_equal(topa_entry_check(1ull << 63, 0, MAXPHYADDR), TOPA_ABOVE_MAXPHYADDR);
    assert_int_equal(topa_entry_check(TABLE_A | TOPA_END, 1, MAXPHYADDR), TOPA_OK);
    assert_int_equal(topa_entry_check(TABLE_A | TOPA_END, 0, MAXPHYADDR), TOPA_END_FIRST);
    assert_int_equal(topa_entry_check(TABLE_A | TOPA_END | TOPA_INT, 1, MAXPHYADDR), TOPA_RESERVED_BITS);
    assert_int_equal(topa_entry_check(TABLE_A | TOPA_END | TOPA_STOP, 1, MAXPHYADDR), TOPA_RESERVED_BITS);
}

static void test_walk_chained(void **state)
{
    (void)state;
    table_a[0] = 0x10000 | TOPA_INT;
    table_a[1] = 0x20000 | 1 << 6;
    table_a[2] = TABLE_B | TOPA_END;
    table_b[0] = 0x40000 | TOPA_INT | TOPA_STOP;
    table_b[1] = TABLE_A | TOPA_END;
    struct topa_walk walk = {.ptrs = {.table_pa = TABLE_A}};

    assert_int_equal(load(&walk), TOPA_OK);
    assert_int_equal(topa_walk_room(&walk), 4096);
    assert_int_equal(topa_walk_advance(&walk, 4095), 0);
    assert_int_equal(topa_walk_pa(&walk), 0x10fff);
    assert_int_equal(topa_walk_advance(&walk, 1), TOPA_FILLED | TOPA_FILLED_INT);
    assert_int_equal(load(&walk), TOPA_OK);
    assert_int_equal(topa_walk_pa(&walk), 0x20000);
    assert_int_equal(topa_walk_advance(&walk, 8192), TOPA_FILLED);
    assert_int_equal(load(&walk), TOPA_OK);
    assert_int_equal(walk.ptrs.table_pa, TABLE_B);
    assert_int_equal(walk.ptrs.index, 0);
    assert_int_equal(topa_walk_advance(&walk, 4096), TOPA_FILLED | TOPA_FILLED_INT | TOPA_FILLED_STOP);
    /* ToPA STOP leaves the pointers after the last byte, from where output cannot start. */
    assert_int_equal(walk.ptrs.index, 0);
    assert_int_equal(walk.ptrs.offset, 4096);
    assert_int_equal(load(&walk), TOPA_OFFSET_BEYOND);
    walk.ptrs.index = 1, walk.ptrs.offset = 0;
    assert_int_equal(load(&walk), TOPA_OK);
    assert_int_equal(walk.ptrs.table_pa, TABLE_A);
    assert_int_equal(topa_walk_pa(&walk), 0x10000);
}

/* "The proc_trace_table_offset is reset to 0, as is the proc_trace_output_offset." */
static void test_walk_from_end(void **state)
{
    (void)state;
    table_a[0] = 0x10000;
    table_a[1] = TABLE_B | TOPA_END;
    table_b[0] = 0x40000;
    struct topa_walk walk = {.ptrs = {.table_pa = TABLE_A, .index = 1, .offset = 8192}};
    assert_int_equal(load(&walk), TOPA_OK);
    assert_int_equal(topa_walk_pa(&walk), 0x40000);
}

/* A table of 256 MiB without END or STOP wraps to its first entry. */
static void test_walk_largest_table(void **state)
{
    (void)state;
    struct topa_walk walk = {.ptrs = {.table_pa = TABLE_A, .index = TOPA_MAX_INDEX}, .entry = 0, .region_bytes = 4096};
    assert_int_equal(topa_walk_advance(&walk, 4096), TOPA_FILLED);
    assert_int_equal(walk.ptrs.index, 0);
    assert_int_equal(walk.ptrs.table_pa, TABLE_A);
}

static void test_walk_errors(void **state)
{
    (void)state;
    struct topa_walk walk = {.ptrs = {.table_pa = TABLE_A + 8}};
    assert_int_equal(load(&walk), TOPA_BASE_UNALIGNED);

    walk.ptrs.table_pa = TABLE_A;
    table_a[0] = 0x10000 | TOPA_END;
    assert_int_equal(load(&walk), TOPA_END_FIRST);

    /* END to a table that begins with END */
    table_a[0] = 0x10000;
    table_a[1] = TABLE_B | TOPA_END;
    table_b[0] = TABLE_A | TOPA_END;
    walk.ptrs.index = 1;
    assert_int_equal(load(&walk), TOPA_END_FIRST);
}

static void test_walk_single_region(void **state)
{
    (void)state;
    struct topa_walk walk = {.ptrs = {.table_pa = TABLE_A, .index = 1}};
    table_a[0] = 0x10000;
    table_a[1] = TABLE_A | TOPA_END;
    assert_int_equal(topa_walk_load(&walk, read_entry, NULL, MAXPHYADDR, true), TOPA_OK);
    assert_int_equal(walk.ptrs.index, 0);

    walk.ptrs.index = 1;
    table_a[1] = TABLE_B | TOPA_END;
    assert_int_equal(topa_walk_load(&walk, read_entry, NULL, MAXPHYADDR, true), TOPA_END_ELSEWHERE);
    table_a[1] = 0x20000;
    walk.ptrs = (struct topa_ptrs){.table_pa = TABLE_A, .index = 1};
    assert_int_equal(topa_walk_load(&walk, read_entry, NULL, MAXPHYADDR, true), TOPA_END_ELSEWHERE);
}

static void test_error_names(void **state)
{
    (void)state;
    for (int error = TOPA_OK; error <= TOPA_END_ELSEWHERE; error++)
        assert_string_not_equal(topa_error_name((enum topa_error)error), "unknown ToPA error");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),         cmocka_unit_test(test_layout),
        cmocka_unit_test(test_entry_check),   cmocka_unit_test(test_walk_chained),
        cmocka_unit_test(test_walk_from_end), cmocka_unit_test(test_walk_largest_table),
        cmocka_unit_test(test_walk_errors),   cmocka_unit_test(test_walk_single_region),
        cmocka_unit_test(test_error_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
