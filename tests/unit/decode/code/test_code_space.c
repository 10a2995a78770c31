/* Which page an address of an address space means, as records say it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/decode/code/code_fixture.h"

#define PAGE RECORD_PAGE_SIZE

static void two_programs_at_one_address(void **state)
{
    (void)state;
    put_map(0, 10, 20, 1, A, USER);
    put_run(USER, 0x100000, 2, 12);
    put_page(0, 25, 2, A, USER, 0x100000, 1);
    put_page(0, 26, 3, A, USER + PAGE, 0x101000, 2);
    put_map(0, 30, 40, 4, B, USER);
    put_run(USER, 0x300000, 2, 12);
    put_page(0, 45, 5, B, USER, 0x300000, 3);
    put_page(0, 46, 6, B, USER + PAGE, 0x301000, 4);
    exactly(0, A, 100, USER, 1);
    exactly(0, A, 100, USER + PAGE, 2);
    exactly(0, B, 100, USER, 3);
    exactly(0, B, 100, USER + PAGE, 4);
}

/* The memory is sent once, for the first that runs it: a library that two programs have at different addresses. */
static void one_page_at_two_addresses_of_two_spaces(void **state)
{
    (void)state;
    put_page_map(0, 10, 20, 1, A, USER, 0x100000);
    put_page(0, 25, 2, A, USER, 0x100000, 1);
    put_map(0, 30, 40, 3, B, 0x7f0000000000);
    put_run(0x7f0000005000, 0x100000, 1, 12);
    exactly(0, A, 50, USER, 1);
    exactly(0, B, 50, 0x7f0000005000, 1);
    assert_int_equal(version_at(0, B, 50, 0x7f0000006000), NOT_KNOWN);
}

static void a_cr3_is_used_again_after_an_exit(void **state)
{
    (void)state;
    put_map(0, 10, 20, 1, A, USER);
    put_run(USER, 0x100000, 1, 12);
    put_run(USER + 5 * PAGE, 0x105000, 1, 12);
    put_page(0, 25, 2, A, USER, 0x100000, 1);
    put_page(0, 26, 3, A, USER + 5 * PAGE, 0x105000, 2);
    put_page_map(0, 110, 120, 4, A, USER, 0x200000);
    put_page(0, 125, 5, A, USER, 0x200000, 3);
    exactly(0, A, 109, USER, 1);
    exactly(0, A, 110, USER + PAGE, NOT_KNOWN);
    exactly(0, A, 125, USER, 3);
    exactly(0, A, 109, USER + 5 * PAGE, 2);
}

static void an_address_is_mapped_to_other_memory(void **state)
{
    (void)state;
    put_page_map(0, 10, 20, 1, A, USER, 0x100000);
    put_page(0, 25, 2, A, USER, 0x100000, 1);
    /* Without a fault: the first execution of the memory is recorded. */
    put_page(0, 50, 3, A, USER, 0x200000, 2);
    put_page_map(0, 80, 90, 4, A, USER, 0x100000);
    exactly(0, A, 49, USER, 1);
    exactly(0, A, 50, USER, 2);
    exactly(0, A, 79, USER, 2);
    exactly(0, A, 80, USER, 1);
    const struct code_found found = code_pages_find(collected(0), A, 50, USER);
    assert_int_equal(found.until, 80);
}

/* What a newer record of the stretch does not name was unmapped; an execution shows that it came back. */
static void a_stretch_is_replaced(void **state)
{
    (void)state;
    put_map(0, 10, 20, 1, A, USER);
    put_run(USER, 0x100000, 3, 12);
    put_page(0, 21, 2, A, USER, 0x100000, 1);
    put_page(0, 22, 3, A, USER + PAGE, 0x101000, 2);
    put_page(0, 23, 4, A, USER + 2 * PAGE, 0x102000, 3);
    put_map(0, 50, 60, 5, A, USER); /* only the first page */
    put_run(USER, 0x100000, 1, 12);
    put_map(0, 80, 90, 6, A, USER); /* the second as before, the third another */
    put_run(USER, 0x100000, 2, 12);
    put_run(USER + 2 * PAGE, 0x202000, 1, 12);
    put_page(0, 91, 7, A, USER + 2 * PAGE, 0x202000, 4);
    exactly(0, A, 70, USER, 1);
    inferred(0, A, 70, USER + PAGE, 2);
    exactly(0, A, 80, USER + PAGE, 2);
    exactly(0, A, 49, USER + 2 * PAGE, 3);
    exactly(0, A, 91, USER + 2 * PAGE, 4);
}

/* It was mapped and unmapped before it was read. That it was the same before and after is no evidence. */
static void what_was_missed_is_not_known(void **state)
{
    (void)state;
    put_map(0, 10, 20, 1, A, USER);
    put_run(USER, 0x100000, 2, 12);
    put_page(0, 25, 2, A, USER, 0x100000, 1);
    put_page(0, 26, 3, A, USER + PAGE, 0x101000, 2);
    put_missed(0, 50, 60, 4, A, USER);
    put_missed(0, 60, 70, 5, A, USER);
    put_page(0, 65, 6, A, USER, 0x200000, 3); /* executed for the first time: recorded */
    put_map(0, 80, 90, 7, A, USER);
    put_run(USER, 0x100000, 2, 12);
    exactly(0, A, 49, USER, 1);
    assert_int_equal(version_at(0, A, 50, USER), NOT_KNOWN);
    assert_int_equal(version_at(0, A, 64, USER), NOT_KNOWN);
    exactly(0, A, 65, USER, 3);
    exactly(0, A, 80, USER, 1);
    exactly(0, A, 55, USER + PAGE, 2);
}

/* Two faults of a stretch: one's reading has served the other as well, unnoticed. But a reading before the
 * fault does not count, nor does another CPU's. */
static void what_was_read_was_not_missed(void **state)
{
    (void)state;
    put_map(0, 50, 60, 1, A, USER);
    put_run(USER, 0x100000, 3, 12);
    put_page(0, 61, 2, A, USER, 0x100000, 1);
    put_page(0, 62, 3, A, USER + PAGE, 0x101000, 2);
    put_page(0, 63, 4, A, USER + 2 * PAGE, 0x102000, 3);
    put_missed(0, 55, 90, 5, A, USER);
    put_missed(0, 55, 91, 6, A, USER + PAGE);
    put_missed(0, 65, 92, 7, A, USER + 2 * PAGE);
    put_page_map(1, 50, 60, 8, B, USER, 0x100000);
    put_missed(0, 55, 93, 9, B, USER);
    put_map(0, 94, 95, 10, B, USER);
    exactly(0, A, 70, USER, 1);
    exactly(0, A, 70, USER + PAGE, 2);
    exactly(0, A, 64, USER + 2 * PAGE, 3);
    assert_int_equal(version_at(0, A, 70, USER + 2 * PAGE), NOT_KNOWN);
    assert_int_equal(version_at(0, B, 60, USER), NOT_KNOWN);
}

/* Nothing says that it is still what it was: the CR3 may be another program's. */
static void what_was_unmapped_is_not_known(void **state)
{
    (void)state;
    put_executed_map(0, 10, 1, A, USER, 0x100000, 1);
    put_map(0, 50, 60, 3, A, USER);
    exactly(0, A, 49, USER, 1);
    exactly(0, A, 70, USER, NOT_KNOWN);
}

/* Between both, either can have been there. */
static void between_two_mappings_nothing_is_guessed(void **state)
{
    (void)state;
    put_map(0, 10, 20, 1, A, USER);
    put_run(USER + PAGE, 0x101000, 1, 12);
    put_page(0, 22, 2, A, USER + PAGE, 0x101000, 1);
    put_page(0, 23, 3, B, 0x900000, 0x201000, 2);
    put_map(0, 50, 60, 4, A, USER);
    put_map(0, 80, 90, 5, A, USER);
    put_run(USER + PAGE, 0x201000, 1, 12);
    exactly(0, A, 30, USER + PAGE, 1);
    exactly(0, A, 55, USER + PAGE, NOT_KNOWN);
    exactly(0, A, 85, USER + PAGE, 2);
}

/* Two pages faulted, the second one was mapped and read first: what is read later is newer. */
static void readings_count_in_their_order(void **state)
{
    (void)state;
    put_page(0, 1, 1, B, 0x900000, 0x101000, 1);
    put_page(0, 2, 2, B, 0x901000, 0x102000, 2);
    put_page_map(0, 50, 60, 3, A, USER, 0x102000);
    put_page_map(0, 40, 80, 4, A, USER, 0x101000);
    exactly(0, A, 55, USER, 2);
    exactly(0, A, 60, USER, 1);
    exactly(0, A, 90, USER, 1);
}

/* Stretches are 2 MiB, the page is 1 GiB: the record of one stretch counts for the others, too. */
static void large_pages_reach_beyond_their_stretch(void **state)
{
    (void)state;
    put_map(0, 10, 20, 1, A, 0x40200000);
    put_run(0x40200000, 0x80200000, 512, 30);
    put_page(0, 21, 2, A, 0x40200000, 0x80200000, 1);
    put_page(0, 22, 3, B, 0x900000, 0xbffff000, 2);
    put_map(0, 30, 40, 4, B, 0x40200000);
    put_run(0x40200000, 0x200000, 512, 21);
    put_page(0, 41, 5, B, 0x40200000, 0x200000, 3);
    exactly(0, A, 50, 0x40200000, 1);
    exactly(0, A, 50, 0x7ffff000, 2);
    exactly(0, B, 50, 0x40200000, 3);
    inferred(0, C, 50, 0x7ffff000, 2);
    exactly(0, B, 50, 0x7ffff000, NOT_KNOWN); /* it is another program */
    assert_int_equal(version_at(0, A, 50, 0x80000000), NOT_KNOWN);
    assert_int_equal(version_at(0, A, 50, 0x3ffff000), NOT_KNOWN);
}

/* Kernels have one mapping: the newest record counts, whichever space it names. */
static void the_kernels_half_is_one(void **state)
{
    (void)state;
    put_map(0, 1, 2, 1, A, USER);
    put_page(0, 10, 2, A, KERNEL, 0x1000000, 1);
    put_page(0, 30, 3, B, KERNEL, 0x3000000, 2);
    exactly(0, A, 20, KERNEL, 1);
    exactly(0, B, 20, KERNEL, 1);
    exactly(0, C, 20, KERNEL, 1);
    exactly(0, A, 30, KERNEL, 2);
    exactly(0, C, 30, KERNEL, 2);
}

static void root_is_a_space_of_its_own(void **state)
{
    (void)state;
    put_root_page(0x7f000000, 0x7f000000, 1);
    put_executed_map(0, 10, 1, A, 0x7f000000, 0x100000, 2);
    exactly(0, CODE_SPACE_ROOT, 50, 0x7f000000, 1);
    exactly(0, A, 50, 0x7f000000, 2);
    assert_int_equal(version_at(0, CODE_SPACE_ROOT, 50, USER), NOT_KNOWN);
    inferred(0, CODE_SPACE_UNKNOWN, 50, 0x7f000000, 2);
}

/* PIP has CR3[51:5]: in the lower bits PCIDs and cache bits, which are address bits with PAE paging. */
static void pcids_are_no_part_of_a_space(void **state)
{
    (void)state;
    put_page_map(0, 10, 20, 1, A, USER, 0x100000);
    put_page(0, 21, 2, A | 1ull << 63 | 0x7ff, USER, 0x100000, 1);
    put_executed_map(0, 30, 3, B + 0x20, USER, 0x200000, 2);
    put_page_map(0, 50, 60, 5, B + 0x40, USER, 0x100000);
    exactly(0, A + 0xfe0, 70, USER, 1);
    exactly(0, A, 70, USER, 1);
    exactly(0, B + 0x20, 70, USER, 2);
    exactly(0, B + 0x40, 70, USER, 1);
    exactly(0, B + 0x60, 70, USER, NOT_KNOWN);
}

/* Without any map record, mappings are unknown: what one space has, the others have. */
static void without_maps_there_is_one_space(void **state)
{
    (void)state;
    put_page(0, 10, 1, A, USER, 0x100000, 1);
    put_page(0, 20, 2, B, USER, 0x200000, 2);
    exactly(0, A, 15, USER, 1);
    exactly(0, A, 20, USER, 2);
    exactly(0, C, 20, USER, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CODE_TEST(two_programs_at_one_address),
        CODE_TEST(one_page_at_two_addresses_of_two_spaces),
        CODE_TEST(a_cr3_is_used_again_after_an_exit),
        CODE_TEST(an_address_is_mapped_to_other_memory),
        CODE_TEST(a_stretch_is_replaced),
        CODE_TEST(what_was_missed_is_not_known),
        CODE_TEST(what_was_read_was_not_missed),
        CODE_TEST(what_was_unmapped_is_not_known),
        CODE_TEST(between_two_mappings_nothing_is_guessed),
        CODE_TEST(readings_count_in_their_order),
        CODE_TEST(large_pages_reach_beyond_their_stretch),
        CODE_TEST(the_kernels_half_is_one),
        CODE_TEST(root_is_a_space_of_its_own),
        CODE_TEST(pcids_are_no_part_of_a_space),
        CODE_TEST(without_maps_there_is_one_space),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    code_reset(NULL);
    return failed;
}
