/*
 * Soft PT's registers, and its output through ToPA tables: what SDM "Table of Physical Addresses (ToPA)" (36.2.6.2)
 * says happens at the end of a region and of a table.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/pt/soft/soft_fixture.h"

#define REGION 4096u
#define TABLE_B_PA (TABLES_PA + 4096u)

static uint64_t *table_b(struct soft_fixture *f)
{
    return f->tables + TOPA_TABLE_ENTRIES;
}

/* Two regions of 4 KiB in the first table, one of 8 KiB in the second, which leads back. */
static void chained(struct soft_fixture *f, uint64_t bits_0, uint64_t bits_1, uint64_t bits_2)
{
    f->tables[0] = (REGIONS_PA + 0x8000) | bits_0;
    f->tables[1] = (REGIONS_PA + 0x2000) | bits_1;
    f->tables[2] = TABLE_B_PA | TOPA_END;
    table_b(f)[0] = (REGIONS_PA + 0x4000) | 1 << TOPA_SIZE_SHIFT | bits_2;
    table_b(f)[1] = TABLES_PA | TOPA_END;
    soft_on(f, CTL_DEFAULT, 0);
}

/* Bytes that differ from place to place, in pieces that fit no region. */
static void output(struct soft_fixture *f, uint32_t from, uint32_t nr)
{
    uint8_t bytes[7];

    for (uint32_t done = 0, part; done < nr; done += part) {
        part = nr - done < sizeof(bytes) ? nr - done : (uint32_t)sizeof(bytes);
        for (uint32_t i = 0; i < part; i++)
            bytes[i] = (uint8_t)((from + done + i) * 37 >> 3);
        soft_pt_output(&f->pt, bytes, part);
    }
}

static void expect_bytes(const struct soft_fixture *f, uint32_t offset, uint32_t from, uint32_t nr)
{
    for (uint32_t i = 0; i < nr; i++)
        assert_int_equal(f->regions[offset + i], (uint8_t)((from + i) * 37 >> 3));
}

static void expect_pointers(const struct soft_fixture *f, uint64_t base, uint64_t index, uint64_t offset)
{
    assert_int_equal(soft_pt_read(&f->pt, IA32_RTIT_OUTPUT_BASE), base);
    assert_int_equal(soft_pt_read(&f->pt, IA32_RTIT_OUTPUT_MASK_PTRS), offset << 32 | index << 7 | 0x7f);
}

static void over_regions_and_tables_and_round(void **state)
{
    struct soft_fixture *f = *state;
    chained(f, 0, 0, 0);
    output(f, 0, REGION - 1);
    expect_pointers(f, TABLES_PA, 0, REGION - 1);
    output(f, REGION - 1, 3);
    expect_pointers(f, TABLES_PA, 1, 2);
    output(f, REGION + 2, REGION);
    expect_pointers(f, TABLE_B_PA, 0, 2);
    output(f, 2 * REGION + 2, REGION);
    expect_pointers(f, TABLE_B_PA, 0, REGION + 2);
    expect_bytes(f, 0x8000, 0, REGION);
    output(f, 3 * REGION + 2, REGION + 8);
    expect_pointers(f, TABLES_PA, 0, 10);
    expect_bytes(f, 0x8000, 4 * REGION, 10);
    expect_bytes(f, 0x8000 + 10, 10, REGION - 10);
    expect_bytes(f, 0x2000, REGION, REGION);
    expect_bytes(f, 0x4000, 2 * REGION, 2 * REGION);
    assert_int_equal(soft_pt_read(&f->pt, IA32_RTIT_STATUS), (uint64_t)(4 * REGION + 10) << 32);
    assert_false(f->pt.pmi);
}

/* One piece longer than a region goes into several. */
static void a_piece_fills_several_regions(void **state)
{
    static uint8_t bytes[3 * REGION];
    struct soft_fixture *f = *state;
    for (uint32_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (uint8_t)(i * 37 >> 3);
    chained(f, 0, TOPA_INT, 0);
    soft_pt_output(&f->pt, bytes, sizeof(bytes));
    expect_bytes(f, 0x8000, 0, REGION);
    expect_bytes(f, 0x2000, REGION, REGION);
    expect_bytes(f, 0x4000, 2 * REGION, REGION);
    expect_pointers(f, TABLE_B_PA, 0, REGION);
    assert_true(f->pt.pmi);
}

static void int_is_a_pmi_when_the_region_is_full(void **state)
{
    struct soft_fixture *f = *state;
    chained(f, 0, TOPA_INT, 0);
    output(f, 0, 2 * REGION - 1);
    assert_false(f->pt.pmi);
    output(f, 2 * REGION - 1, 1);
    assert_true(f->pt.pmi);
    f->pt.pmi = false;
    output(f, 2 * REGION, 3 * REGION);
    assert_false(f->pt.pmi);
    assert_int_equal(soft_pt_read(&f->pt, IA32_RTIT_STATUS) & (RTIT_STATUS_ERROR | RTIT_STATUS_STOPPED), 0);
}

/* "ToPA STOP": the offset is after the region's last byte, the index is still the region's. */
static void stop_ends_the_output(void **state)
{
    struct soft_fixture *f = *state;
    chained(f, 0, TOPA_STOP, 0);
    memset(f->regions + 0x4000, 0xee, 2 * REGION);
    output(f, 0, 2 * REGION + 20);
    assert_int_equal(soft_pt_read(&f->pt, IA32_RTIT_STATUS), RTIT_STATUS_STOPPED | (uint64_t)(2 * REGION) << 32);
    expect_pointers(f, TABLES_PA, 1, REGION);
    expect_bytes(f, 0x8000, 0, REGION);
    expect_bytes(f, 0x2000, REGION, REGION);
    for (uint32_t i = 0; i < 2 * REGION; i++)
        assert_int_equal(f->regions[0x4000 + i], 0xee);
    assert_false(f->pt.pmi);
}

static void stop_and_int_do_both(void **state)
{
    struct soft_fixture *f = *state;
    chained(f, TOPA_STOP | TOPA_INT, 0, 0);
    output(f, 0, REGION);
    assert_true(f->pt.pmi);
    assert_true(soft_pt_read(&f->pt, IA32_RTIT_STATUS) & RTIT_STATUS_STOPPED);
}

/* After a STOP, writing the pointers and STATUS again continues the output elsewhere. */
static void output_continues_when_armed_again(void **state)
{
    struct soft_fixture *f = *state;
    chained(f, TOPA_STOP, 0, 0);
    output(f, 0, REGION + 5);
    soft_pt_write(&f->pt, IA32_RTIT_CTL, 0);
    soft_pt_write(&f->pt, IA32_RTIT_OUTPUT_BASE, TABLE_B_PA);
    soft_pt_write(&f->pt, IA32_RTIT_OUTPUT_MASK_PTRS, 16ull << 32 | 0x7f);
    soft_pt_write(&f->pt, IA32_RTIT_STATUS, 7ull << 32);
    output(f, 1000, 9);
    expect_bytes(f, 0x4010, 1000, 9);
    expect_pointers(f, TABLE_B_PA, 0, 16 + 9);
    assert_int_equal(soft_pt_read(&f->pt, IA32_RTIT_STATUS), (uint64_t)(7 + 9) << 32);
}

/* An entry is read when output comes to it, and again where a register has been written. */
static void changed_entries_count(void **state)
{
    struct soft_fixture *f = *state;
    chained(f, 0, 0, 0);
    output(f, 0, REGION - 1);
    f->tables[1] = (REGIONS_PA + 0xa000) | TOPA_INT;
    output(f, REGION - 1, 3);
    expect_bytes(f, 0xa000, REGION, 2);
    f->tables[1] = REGIONS_PA + 0xc000;
    soft_pt_write(&f->pt, IA32_RTIT_OUTPUT_MASK_PTRS, soft_pt_read(&f->pt, IA32_RTIT_OUTPUT_MASK_PTRS));
    output(f, REGION + 2, 3);
    expect_bytes(f, 0xc002, REGION + 2, 3);
}

/* "ToPA Errors": nothing is written at what is no entry. */
static void impossible_entries_are_errors(void **state)
{
    static const uint64_t bad[] = {
        REGIONS_PA | 1 << 1,                      /* a reserved bit */
        TABLES_PA | TOPA_END,                     /* END comes first */
        (REGIONS_PA + 0x1000) | 1 << 6,           /* 8 KiB at an odd page */
        1ull << 52 | REGIONS_PA,                  /* above any MAXPHYADDR */
        TABLE_B_PA | TOPA_END | TOPA_INT | 1 << 3 /* not even an END */
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct soft_fixture *f = *state;
        f->tables[0] = bad[i];
        soft_on(f, CTL_DEFAULT, 0);
        output(f, 1, 20);
        assert_int_equal(soft_pt_read(&f->pt, IA32_RTIT_STATUS), RTIT_STATUS_ERROR);
        expect_pointers(f, TABLES_PA, 0, 0);
        for (size_t byte = 0; byte < REGIONS_BYTES; byte++)
            assert_int_equal(f->regions[byte], 0);
    }
}

/* The bad one comes second: the first is full, the rest of the piece is lost. */
static void an_error_on_the_way(void **state)
{
    struct soft_fixture *f = *state;
    chained(f, 0, 1 << 3, 0);
    output(f, 0, REGION + 9);
    assert_int_equal(soft_pt_read(&f->pt, IA32_RTIT_STATUS), RTIT_STATUS_ERROR | (uint64_t)REGION << 32);
    expect_bytes(f, 0x8000, 0, REGION);
    assert_int_equal(f->regions[0x2000], 0);
}

static void registers_read_as_written(void **state)
{
    struct soft_fixture *f = *state;
    soft_pt_write(&f->pt, IA32_RTIT_OUTPUT_BASE, TABLE_B_PA);
    assert_int_equal(soft_pt_read(&f->pt, IA32_RTIT_OUTPUT_BASE), TABLE_B_PA);
    soft_pt_write(&f->pt, IA32_RTIT_OUTPUT_MASK_PTRS, 0x0000123400000aff);
    expect_pointers(f, TABLE_B_PA, 0x15, 0x1234);
    soft_pt_write(&f->pt, IA32_RTIT_OUTPUT_BASE, TABLES_PA); /* the other order */
    expect_pointers(f, TABLES_PA, 0x15, 0x1234);
    soft_pt_write(&f->pt, IA32_RTIT_CTL, CTL_DEFAULT);
    assert_int_equal(soft_pt_read(&f->pt, IA32_RTIT_CTL), CTL_DEFAULT);
    soft_pt_write(&f->pt, IA32_RTIT_STATUS, RTIT_STATUS_ERROR | 0x12345ull << 32);
    assert_int_equal(soft_pt_read(&f->pt, IA32_RTIT_STATUS), RTIT_STATUS_ERROR | 0x12345ull << 32);
    soft_pt_write(&f->pt, IA32_RTIT_CR3_MATCH, 0x7000);
    assert_int_equal(soft_pt_read(&f->pt, IA32_RTIT_CR3_MATCH), 0x7000);
    for (uint32_t i = 0; i < 2 * PT_MAX_RANGES; i++)
        soft_pt_write(&f->pt, IA32_RTIT_ADDR0_A + i, 0xffff800000001000 + i);
    for (uint32_t i = 0; i < 2 * PT_MAX_RANGES; i++)
        assert_int_equal(soft_pt_read(&f->pt, IA32_RTIT_ADDR0_A + i), 0xffff800000001000 + i);
}

/* Output has moved to another table: OUTPUT_BASE reads as that one, and writing only MASK_PTRS applies to it. */
static void pointers_belong_to_the_newest_table(void **state)
{
    struct soft_fixture *f = *state;
    chained(f, 0, 0, 0);
    output(f, 0, 2 * REGION + 1);
    soft_pt_write(&f->pt, IA32_RTIT_OUTPUT_MASK_PTRS, 0x20ull << 32 | 0x7f);
    expect_pointers(f, TABLE_B_PA, 0, 0x20);
    output(f, 5, 1);
    expect_bytes(f, 0x4020, 5, 1);
}

/* PacketByteCnt has 17 bits: more than that is its most, since 0 would be a PSB that has just been. */
static void packet_byte_cnt_saturates(void **state)
{
    struct soft_fixture *f = *state;
    soft_on(f, CTL_DEFAULT, 0x1fffe);
    output(f, 0, 1);
    assert_int_equal(soft_pt_read(&f->pt, IA32_RTIT_STATUS), 0x1ffffull << 32);
    output(f, 0, 1);
    assert_int_equal(soft_pt_read(&f->pt, IA32_RTIT_STATUS), 0x1ffffull << 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SOFT_TEST(over_regions_and_tables_and_round),
        SOFT_TEST(a_piece_fills_several_regions),
        SOFT_TEST(int_is_a_pmi_when_the_region_is_full),
        SOFT_TEST(stop_ends_the_output),
        SOFT_TEST(stop_and_int_do_both),
        SOFT_TEST(output_continues_when_armed_again),
        SOFT_TEST(changed_entries_count),
        SOFT_TEST(impossible_entries_are_errors),
        SOFT_TEST(an_error_on_the_way),
        SOFT_TEST(registers_read_as_written),
        SOFT_TEST(pointers_belong_to_the_newest_table),
        SOFT_TEST(packet_byte_cnt_saturates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
