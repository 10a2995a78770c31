/* Where an address leads when several CPUs have records of it: each one's trace has offsets of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/decode/code/code_fixture.h"

#define PAGE RECORD_PAGE_SIZE

/* CPU 1 has another's mappings at the latest where its own records come to their number. */
static void what_another_cpu_said_holds_by_its_number(void **state)
{
    (void)state;
    put_map(0, 1000, 1100, 1, A, USER);
    put_run(USER, 0x100000, 2, 12);
    put_page(0, 1200, 2, A, USER, 0x100000, 1);
    put_page(0, 1210, 3, A, USER + PAGE, 0x101000, 2);
    put_seen(1, 5, 3);
    put_map(0, 2000, 2100, 4, A, USER);
    put_run(USER, 0x200000, 1, 12);
    put_run(USER + PAGE, 0x101000, 1, 12);
    put_page(0, 2200, 5, A, USER, 0x200000, 3);
    put_seen(1, 50, 5);
    put_page_map(0, 3000, 3100, 6, A, USER + 0x200000, 0x100000);
    exactly(0, A, 1999, USER, 1);
    exactly(0, A, 2200, USER, 3);
    exactly(1, A, 5, USER, 1);
    exactly(1, A, 50, USER, 3);
    exactly(1, A, 20, USER + PAGE, 2);
    /* CPU 1 has no record up to number 6, so it can have held there at any time. */
    inferred(1, A, 60, USER + 0x200000, 1);
}

/* And between the fault of the first CPU and its own next record either page is possible. */
static void between_the_cpus_nothing_is_guessed(void **state)
{
    (void)state;
    put_page(0, 1, 1, B, 0x900000, 0x200000, 2);
    put_page_map(0, 1000, 1100, 2, A, USER, 0x100000);
    put_page(0, 1200, 3, A, USER, 0x100000, 1);
    put_seen(1, 5, 3);
    put_page_map(0, 2000, 2100, 4, A, USER, 0x200000);
    put_seen(1, 50, 5);
    exactly(0, A, 1999, USER, 1);
    exactly(0, A, 2000, USER, 2);
    exactly(1, A, 20, USER, NOT_KNOWN);
    exactly(1, A, 50, USER, 2);
}

/* This CPU maps another page there later. A page that another CPU recorded before may be what this one ran. */
static void later_or_another_cpus(void **state)
{
    (void)state;
    put_page(0, 10, 1, B, USER + 0x10000, 0x5000000, 1);
    put_page(0, 20, 2, B, USER + 0x20000, 0x6000000, 2);
    put_map(1, 500, 500, 3, A, USER & ~0x1fffffull);
    put_run(USER, 0x5000000, 1, 12);
    put_map(0, 400, 450, 4, A, USER & ~0x1fffffull);
    put_run(USER, 0x6000000, 1, 12);
    assert_int_equal(version_at(0, A, 300, USER), NOT_KNOWN);
    exactly(0, A, 450, USER, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CODE_TEST(what_another_cpu_said_holds_by_its_number),
        CODE_TEST(between_the_cpus_nothing_is_guessed),
        CODE_TEST(later_or_another_cpus),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    code_reset(NULL);
    return failed;
}
