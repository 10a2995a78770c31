/* vmx/ept/mtrr.c: memory types of ranges. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "vmx/ept/mtrr.h"

#define MIB (1ull << 20)
#define GIB (1ull << 30)
#define E_FE 0xc00ull
#define E 0x800ull
#define VALID 0x800ull

/* A mask for a range of size bytes on a CPU with 39 physical address bits. */
static uint64_t mask_of(uint64_t size)
{
    return (0x7fffffffffull & ~(size - 1)) | VALID;
}

/* A PC with 4 GiB below and 1 GiB above the hole: what firmware does. */
static struct mtrr_state pc(void)
{
    struct mtrr_state m = {.def_type = E_FE | MEMORY_TYPE_UC, .nr_variable = 8};

    for (int i = 0; i < 3; i++)
        m.fixed[i] = i < 2 ? 0x0606060606060606ull : 0; /* A0000 to BFFFF: the screen */
    for (int i = 3; i < 11; i++)
        m.fixed[i] = 0x0505050505050505ull;
    m.variable[0].base = 0 | MEMORY_TYPE_WB;
    m.variable[0].mask = mask_of(2 * GIB);
    m.variable[1].base = 2 * GIB | MEMORY_TYPE_WB;
    m.variable[1].mask = mask_of(1 * GIB);
    m.variable[2].base = 4 * GIB | MEMORY_TYPE_WB;
    m.variable[2].mask = mask_of(1 * GIB);
    return m;
}

static void disabled_is_uncacheable(void **state)
{
    (void)state;
    struct mtrr_state m = pc();
    m.def_type = MEMORY_TYPE_WB;
    assert_int_equal(mtrr_type(&m, 0, 4096), MEMORY_TYPE_UC);
    assert_int_equal(mtrr_type(&m, GIB, GIB), MEMORY_TYPE_UC);
}

static void fixed_ranges(void **state)
{
    (void)state;
    struct mtrr_state m = pc();
    assert_int_equal(mtrr_type(&m, 0, 4096), MEMORY_TYPE_WB);
    assert_int_equal(mtrr_type(&m, 0x9f000, 4096), MEMORY_TYPE_WB);
    assert_int_equal(mtrr_type(&m, 0xa0000, 4096), MEMORY_TYPE_UC);
    assert_int_equal(mtrr_type(&m, 0xff000, 4096), MEMORY_TYPE_WP);
    assert_int_equal(mtrr_type(&m, 0x80000, 0x20000), MEMORY_TYPE_WB);
    assert_int_equal(mtrr_type(&m, 0x80000, 0x40000), MEMORY_TYPE_MIXED);
    assert_int_equal(mtrr_type(&m, 0, 2 * MIB), MEMORY_TYPE_MIXED);
    assert_int_equal(mtrr_type(&m, MIB, MIB), MEMORY_TYPE_WB);

    /* One range of 16 KiB and one of 4 KiB in the middle of their registers. */
    m.fixed[1] = (m.fixed[1] & ~(0xffull << 24)) | (uint64_t)MEMORY_TYPE_WT << 24; /* 8C000 */
    assert_int_equal(mtrr_type(&m, 0x8c000, 0x4000), MEMORY_TYPE_WT);
    assert_int_equal(mtrr_type(&m, 0x88000, 0x8000), MEMORY_TYPE_MIXED);
    m.fixed[4] = (m.fixed[4] & ~(0xffull << 8)) | (uint64_t)MEMORY_TYPE_WC << 8; /* C9000 */
    assert_int_equal(mtrr_type(&m, 0xc9000, 0x1000), MEMORY_TYPE_WC);
    assert_int_equal(mtrr_type(&m, 0xca000, 0x1000), MEMORY_TYPE_WP);
}

static void fixed_ranges_off(void **state)
{
    (void)state;
    struct mtrr_state m = pc();
    m.def_type = E | MEMORY_TYPE_UC;
    assert_int_equal(mtrr_type(&m, 0xa0000, 4096), MEMORY_TYPE_WB);
    assert_int_equal(mtrr_type(&m, 0, GIB), MEMORY_TYPE_WB);
}

static void variable_ranges_and_default(void **state)
{
    (void)state;
    struct mtrr_state m = pc();
    assert_int_equal(mtrr_type(&m, GIB, GIB), MEMORY_TYPE_WB);
    assert_int_equal(mtrr_type(&m, 3 * GIB, GIB), MEMORY_TYPE_UC);
    assert_int_equal(mtrr_type(&m, 4 * GIB, GIB), MEMORY_TYPE_WB);
    assert_int_equal(mtrr_type(&m, 5 * GIB, GIB), MEMORY_TYPE_UC);
    assert_int_equal(mtrr_type(&m, 4 * GIB, 4 * GIB), MEMORY_TYPE_MIXED);
    m.variable[1].mask &= ~VALID;
    assert_int_equal(mtrr_type(&m, 2 * GIB, GIB), MEMORY_TYPE_UC);
}

static void overlaps(void **state)
{
    (void)state;
    struct mtrr_state m = pc();
    m.variable[3].base = (GIB + 512 * MIB) | MEMORY_TYPE_UC; /* a hole in write-back memory */
    m.variable[3].mask = mask_of(256 * MIB);
    assert_int_equal(mtrr_type(&m, GIB + 512 * MIB, 256 * MIB), MEMORY_TYPE_UC);
    assert_int_equal(mtrr_type(&m, GIB, GIB), MEMORY_TYPE_MIXED);
    assert_int_equal(mtrr_type(&m, GIB, 512 * MIB), MEMORY_TYPE_WB);
    m.variable[3].base = (GIB + 512 * MIB) | MEMORY_TYPE_WT;
    assert_int_equal(mtrr_type(&m, GIB + 512 * MIB, 2 * MIB), MEMORY_TYPE_WT);
    m.variable[3].base = (GIB + 512 * MIB) | MEMORY_TYPE_WB; /* the same type changes nothing */
    assert_int_equal(mtrr_type(&m, GIB, GIB), MEMORY_TYPE_WB);
}

/* Uncacheable is the default: a partial range of that type changes nothing there. */
static void partial_of_default_type(void **state)
{
    (void)state;
    struct mtrr_state m = pc();
    m.variable[3].base = (6 * GIB + 2 * MIB) | MEMORY_TYPE_UC;
    m.variable[3].mask = mask_of(2 * MIB);
    assert_int_equal(mtrr_type(&m, 6 * GIB, GIB), MEMORY_TYPE_UC);
}

/* The value for a block is the value of each of its pages, or mixed. */
static void blocks_agree_with_pages(void **state)
{
    (void)state;
    struct mtrr_state m = pc();
    m.variable[3].base = (GIB + 3 * MIB) | MEMORY_TYPE_WC;
    m.variable[3].mask = mask_of(64 * 1024);
    for (uint64_t start = 0; start < 4 * MIB; start += 64 * 1024) {
        int block = mtrr_type(&m, GIB + start, 64 * 1024);
        for (uint64_t at = start; at < start + 64 * 1024; at += 4096) {
            int page = mtrr_type(&m, GIB + at, 4096);
            assert_int_not_equal(page, MEMORY_TYPE_MIXED);
            assert_true(block == MEMORY_TYPE_MIXED || block == page);
        }
    }
    assert_int_equal(mtrr_type(&m, GIB + 3 * MIB, 64 * 1024), MEMORY_TYPE_UC); /* WC over WB: undefined, so UC */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(disabled_is_uncacheable),
        cmocka_unit_test(fixed_ranges),
        cmocka_unit_test(fixed_ranges_off),
        cmocka_unit_test(variable_ranges_and_default),
        cmocka_unit_test(overlaps),
        cmocka_unit_test(partial_of_default_type),
        cmocka_unit_test(blocks_agree_with_pages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
