/* Which page an address without a record means: what may be inferred, and what may not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/decode/code/code_fixture.h"

#define PAGE RECORD_PAGE_SIZE

/* A child runs what its parents run, without a fault: its tables are copies. */
static void a_child_has_its_parents_code(void **state)
{
    (void)state;
    put_executed_map(0, 10, 1, A, USER, 0x100000, 1);
    put_page_map(0, 30, 40, 3, B, USER, 0x100000);
    inferred(0, C, 50, USER, 1);
}

static void spaces_that_differ_are_no_evidence_for_a_third(void **state)
{
    (void)state;
    put_executed_map(0, 10, 1, A, USER, 0x100000, 1);
    put_executed_map(0, 30, 3, B, USER, 0x200000, 2);
    inferred(0, C, 29, USER, 1);
    exactly(0, C, 50, USER, NOT_KNOWN);
    /* No PIP yet: which space it is, is not known. */
    exactly(0, CODE_SPACE_UNKNOWN, 50, USER, NOT_KNOWN);
    inferred(0, CODE_SPACE_UNKNOWN, 29, USER, 1);
}

/* One file in two programs: A has records of all three pages, B of two. The third was mapped around a read. */
static void what_lies_beside_it_elsewhere(void **state)
{
    (void)state;
    put_map(0, 10, 20, 1, A, USER);
    put_run(USER, 0x100000, 1, 12);
    put_run(USER + PAGE, 0x500000, 2, 12);
    put_page(0, 21, 2, A, USER, 0x100000, 1);
    put_page(0, 22, 3, A, USER + PAGE, 0x500000, 2);
    put_page(0, 23, 4, A, USER + 2 * PAGE, 0x501000, 3);
    put_map(0, 30, 40, 5, B, 0x7f0000000000);
    put_run(0x7f0000010000, 0x100000, 1, 12);
    put_run(0x7f0000012000, 0x501000, 1, 12);
    exactly(0, B, 50, 0x7f0000010000, 1);
    inferred(0, B, 50, 0x7f0000011000, 2);
    exactly(0, B, 50, 0x7f0000012000, 3);
    exactly(0, B, 50, 0x7f0000013000, NOT_KNOWN);
    exactly(0, B, 29, 0x7f0000011000, NOT_KNOWN);
}

/* Its neighbours lie beside different pages: another file at one side. */
static void neighbours_must_agree(void **state)
{
    (void)state;
    put_map(0, 10, 20, 1, A, USER);
    put_run(USER, 0x100000, 2, 12);
    put_run(USER + 2 * PAGE, 0x200000, 2, 12);
    put_page(0, 21, 2, A, USER + PAGE, 0x101000, 1);
    put_page(0, 22, 3, A, USER + 2 * PAGE, 0x200000, 2);
    put_map(0, 30, 40, 4, B, USER);
    put_run(USER, 0x100000, 1, 12);
    put_run(USER + 2 * PAGE, 0x201000, 1, 12);
    put_page_map(0, 30, 50, 5, C, USER, 0x100000);
    exactly(0, B, 60, USER + PAGE, NOT_KNOWN);
    inferred(0, C, 60, USER + PAGE, 1);
}

/* Two programs that are linked to one address: what B has there is not what C has, although C has no record there. */
static void a_program_that_shares_nothing_is_no_evidence(void **state)
{
    (void)state;
    put_executed_map(0, 10, 1, A, USER, 0x100000, 1);
    put_page_map(0, 12, 22, 3, A, 0x7f0000000000, 0x300000);
    put_page_map(0, 30, 40, 4, B, 0x7f0000000000, 0x400000);
    put_page_map(0, 50, 60, 5, C, 0x7f0000000000, 0x300000);
    exactly(0, B, 70, USER, NOT_KNOWN);
    inferred(0, C, 70, USER, 1);
}

/* A kernel in the lower half: its pages were executed before there was a program, and all have them. */
static void a_kernel_below_is_in_all_spaces(void **state)
{
    (void)state;
    put_page(0, 1, 1, A, 0xc0100000, 0x100000, 1);
    put_page_map(0, 30, 40, 2, A, USER, 0x200000);
    put_page_map(0, 50, 60, 3, B, USER, 0x300000);
    inferred(0, B, 70, 0xc0100000, 1);
}

/* What was read there later need not be what was there before: B's own record is no witness, another space's is. */
static void a_later_reading_is_no_evidence(void **state)
{
    (void)state;
    put_page(0, 1, 1, A, 0x700000, 0x100000, 1);
    put_page(0, 2, 2, A, 0x701000, 0x101000, 2);
    put_map(0, 10, 20, 3, A, USER);
    put_run(USER + PAGE, 0x101000, 1, 12);
    put_map(0, 60, 60, 4, B, USER);
    put_run(USER, 0x100000, 2, 12);
    exactly(0, B, 50, USER, NOT_KNOWN);
    inferred(0, B, 50, USER + PAGE, 2);
    exactly(0, B, 60, USER, 1);
    exactly(0, B, 60, USER + PAGE, 2);
}

static void different_memory_may_hold_the_same(void **state)
{
    (void)state;
    put_executed_map(0, 10, 1, A, USER, 0x100000, 1);
    put_executed_map(0, 30, 3, B, USER, 0x200000, 1);
    put_page(0, 60, 5, B, USER, 0x200000, 2);
    inferred(0, C, 50, USER, 1);
    exactly(0, C, 60, USER, NOT_KNOWN);
    assert_int_equal(code_pages_find(collected(0), C, 50, USER).until, 60);
}

static void a_kernels_large_page_is_inferred(void **state)
{
    (void)state;
    put_map(0, 1, 2, 1, A, USER);
    put_page(0, 10, 2, A, 0x1000000, 0x1000000, 1);
    put_page(0, 20, 3, B, KERNEL + 5 * PAGE, 0x1005000, 2);
    inferred(0, C, 30, KERNEL, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CODE_TEST(a_child_has_its_parents_code),
        CODE_TEST(spaces_that_differ_are_no_evidence_for_a_third),
        CODE_TEST(what_lies_beside_it_elsewhere),
        CODE_TEST(neighbours_must_agree),
        CODE_TEST(a_program_that_shares_nothing_is_no_evidence),
        CODE_TEST(a_kernel_below_is_in_all_spaces),
        CODE_TEST(a_later_reading_is_no_evidence),
        CODE_TEST(different_memory_may_hold_the_same),
        CODE_TEST(a_kernels_large_page_is_inferred),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    code_reset(NULL);
    return failed;
}
