/* Pages that were mapped without a fault, and found by a scan of the whole space: from when on that holds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/decode/code/code_fixture.h"

#define PAGE RECORD_PAGE_SIZE

/* A has executed three pages. */
static void put_a(void)
{
    put_map(0, 10, 20, 1, A, USER);
    put_run(USER, 0x100000, 3, 12);
    put_page(0, 21, 2, A, USER, 0x100000, 1);
    put_page(0, 22, 3, A, USER + PAGE, 0x101000, 2);
    put_page(0, 23, 4, A, USER + 2 * PAGE, 0x102000, 3);
}

/* At the previous scan the address was not mapped. What was mapped since may not have been the first page there. */
static void before_the_scan_it_is_not_known(void **state)
{
    (void)state;
    put_a();
    put_page_scan(0, 30, 60, 5, B, USER, 0x102000);
    exactly(0, B, 30, USER, NOT_KNOWN);
    exactly(0, B, 59, USER, NOT_KNOWN);
    exactly(0, B, 60, USER, 3);
}

/* But a part of a file of which the space has another part at the moment, as far from it as in another space, is. */
static void a_part_of_a_file_that_is_there(void **state)
{
    (void)state;
    put_a();
    put_page(0, 24, 5, C, USER, 0x900000, 9);
    put_map(0, 30, 40, 6, B, 0x7f0000000000);
    put_run(0x7f0000003000, 0x100000, 1, 12);
    put_scan(0, 50, 60, 7, B, 0x7f0000000000);
    put_run(0x7f0000003000, 0x100000, 1, 12);
    put_run(0x7f0000004000, 0x900000, 1, 12);
    put_run(0x7f0000005000, 0x102000, 1, 12);
    put_run(0x7f0000007000, 0x101000, 1, 12);
    inferred(0, B, 50, 0x7f0000005000, 3);
    inferred(0, B, 59, 0x7f0000005000, 3);
    exactly(0, B, 60, 0x7f0000005000, 3);
    exactly(0, B, 59, 0x7f0000004000, NOT_KNOWN); /* of no file that is known to be there */
    exactly(0, B, 59, 0x7f0000007000, NOT_KNOWN); /* elsewhere in that file */
    exactly(0, B, 60, 0x7f0000007000, 2);
}

/* Where the stretch was read last is where its change begins: what was read there may still have been so. */
static void what_was_read_where_the_scan_begins(void **state)
{
    (void)state;
    put_a();
    put_page_map(0, 30, 30, 5, B, USER, 0x102000);
    put_page_map(0, 30, 30, 6, C, USER, 0x101000);
    put_page_scan(0, 30, 60, 7, B, USER, 0x102000);
    put_page_scan(0, 30, 60, 8, C, USER, 0x102000);
    exactly(0, B, 29, USER, NOT_KNOWN);
    exactly(0, B, 30, USER, 3);
    exactly(0, B, 59, USER, 3);
    exactly(0, C, 59, USER, NOT_KNOWN); /* they differ */
    exactly(0, C, 60, USER, 3);
}

/* The first scan, whose interval has no known beginning, finds no more. */
static void the_first_scan(void **state)
{
    (void)state;
    put_a();
    put_map(0, 30, 40, 5, B, 0x7f0000000000);
    put_run(0x7f0000003000, 0x100000, 1, 12);
    put_scan(0, 60, 60, 6, B, 0x7f0000000000);
    put_run(0x7f0000003000, 0x100000, 1, 12);
    put_run(0x7f0000005000, 0x102000, 1, 12);
    put_run(0x7f0000007000, 0x101000, 1, 12);
    inferred(0, B, 59, 0x7f0000005000, 3);
    exactly(0, B, 59, 0x7f0000007000, NOT_KNOWN);
    exactly(0, B, 60, 0x7f0000007000, 2);
}

/* The same tables had both parts elsewhere, as another program's or at another address. What lies nearer may be of
 * another file. */
static void these_tables_had_it_elsewhere(void **state)
{
    (void)state;
    put_map(0, 10, 20, 1, B, 0x7e0000000000);
    put_run(0x7e0000003000, 0x300000, 1, 12);
    put_run(0x7e0000005000, 0x302000, 1, 12);
    put_page(0, 21, 2, B, 0x7e0000003000, 0x300000, 1);
    put_page(0, 22, 3, B, 0x7e0000005000, 0x302000, 2);
    put_page(0, 23, 4, C, USER, 0x900000, 3);
    put_map(0, 30, 40, 5, B, 0x7f0000000000);
    put_run(0x7f0000003000, 0x300000, 1, 12);
    put_run(0x7f0000004000, 0x900000, 1, 12);
    put_scan(0, 50, 60, 6, B, 0x7f0000000000);
    put_run(0x7f0000003000, 0x300000, 1, 12);
    put_run(0x7f0000004000, 0x900000, 1, 12);
    put_run(0x7f0000005000, 0x302000, 1, 12);
    put_run(0x7f0000006000, 0x900000, 1, 12);
    inferred(0, B, 59, 0x7f0000005000, 2);
    exactly(0, B, 59, 0x7f0000006000, NOT_KNOWN);
    exactly(0, B, 60, 0x7f0000006000, 3);
}

/* Another page was there: which of the two it was before the scan is not known. */
static void something_else_may_have_been_there_still(void **state)
{
    (void)state;
    put_a();
    put_map(0, 30, 40, 5, B, USER);
    put_run(USER, 0x100000, 1, 12);
    put_run(USER + PAGE, 0x101000, 1, 12);
    put_scan(0, 50, 60, 6, B, USER);
    put_run(USER, 0x102000, 1, 12);
    put_run(USER + PAGE, 0x101000, 1, 12);
    exactly(0, B, 49, USER, 1);
    exactly(0, B, 50, USER, NOT_KNOWN);
    exactly(0, B, 59, USER, NOT_KNOWN);
    exactly(0, B, 60, USER, 3);
    for (uint64_t at = 30; at < 70; at += 10)
        exactly(0, B, at, USER + PAGE, 2);
}

/* ... also where it was read after the previous scan. */
static void a_reading_after_the_previous_scan_counts(void **state)
{
    (void)state;
    put_a();
    put_page_map(0, 50, 55, 5, B, USER, 0x100000);
    put_page_scan(0, 40, 60, 6, B, USER, 0x101000);
    exactly(0, B, 54, USER, 1);
    exactly(0, B, 55, USER, NOT_KNOWN);
    exactly(0, B, 60, USER, 2);
}

/* Two faults of a stretch: what the first reading had and the second one has not was there until then, maybe. */
static void absent_in_a_late_reading(void **state)
{
    (void)state;
    put_a();
    put_page_map(0, 50, 60, 5, B, USER, 0x100000);
    put_map(0, 40, 90, 6, B, USER);
    exactly(0, B, 59, USER, 1);
    exactly(0, B, 89, USER, 1);
    exactly(0, B, 90, USER, NOT_KNOWN);
}

/* A fault says when: nothing can have run there between it and the reading but what was read. */
static void a_fault_is_not_a_scan(void **state)
{
    (void)state;
    put_a();
    put_page_map(0, 30, 40, 5, B, USER, 0x100000);
    put_page_map(0, 50, 60, 6, B, USER, 0x101000);
    exactly(0, B, 49, USER, 1);
    exactly(0, B, 50, USER, 2);
}

/* A fault elsewhere in the stretch: the reading after it comes when its program is ending. What was read before was
 * there until then, unless the fault's handler can have mapped something else with its page. */
static void gone_in_the_reading_after_a_fault_elsewhere(void **state)
{
    (void)state;
    put_a();
    put_map(0, 30, 40, 5, B, USER);
    put_run(USER, 0x100000, 3, 12);
    put_map(0, 50, 60, 6, B, USER);
    put_map(0, 70, 80, 7, B, USER);
    put_page_map(0, 30, 40, 8, C, USER, 0x100000);
    put_map(0, 50, 60, 9, C, USER);
    put_run(USER + PAGE, 0x102000, 1, 12);
    exactly(0, B, 49, USER + 2 * PAGE, 3);
    inferred(0, B, 50, USER + 2 * PAGE, 3);
    inferred(0, B, 59, USER + 2 * PAGE, 3);
    for (uint64_t at = 60; at < 90; at++)
        exactly(0, B, at, USER + 2 * PAGE, NOT_KNOWN);
    exactly(0, C, 49, USER, 1);
    exactly(0, C, 50, USER, NOT_KNOWN); /* the page before 102000 is 101000 */
}

/* The page's contents may have changed since the previous scan, too: they are known from this scan on. */
static void a_refill_is_known_from_the_scan_on(void **state)
{
    (void)state;
    put_a();
    put_refilled_page(0, 60, 5, B, USER, 0x102000, 7);
    put_page_scan(0, 30, 60, 6, B, USER, 0x102000);
    exactly(0, A, 59, USER + 2 * PAGE, 3);
    exactly(0, B, 60, USER, 7);
}

/* Another CPU has its next record later: since when the page was there for it is not known. */
static void another_cpu_has_it_from_its_next_record_on(void **state)
{
    (void)state;
    put_a();
    put_seen(1, 5, 4);
    put_page_map(0, 30, 40, 5, B, USER, 0x100000);
    put_seen(1, 100, 5);
    put_page_scan(0, 50, 60, 6, B, USER, 0x101000);
    put_seen(1, 200, 6);
    exactly(1, B, 199, USER, NOT_KNOWN);
    exactly(1, B, 200, USER, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CODE_TEST(before_the_scan_it_is_not_known),
        CODE_TEST(a_part_of_a_file_that_is_there),
        CODE_TEST(what_was_read_where_the_scan_begins),
        CODE_TEST(the_first_scan),
        CODE_TEST(these_tables_had_it_elsewhere),
        CODE_TEST(something_else_may_have_been_there_still),
        CODE_TEST(a_reading_after_the_previous_scan_counts),
        CODE_TEST(absent_in_a_late_reading),
        CODE_TEST(a_fault_is_not_a_scan),
        CODE_TEST(gone_in_the_reading_after_a_fault_elsewhere),
        CODE_TEST(a_refill_is_known_from_the_scan_on),
        CODE_TEST(another_cpu_has_it_from_its_next_record_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
