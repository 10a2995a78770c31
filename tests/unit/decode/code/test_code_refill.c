/* Pages that a device has filled: from when on they are what they are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/decode/code/code_fixture.h"

#define GPA 0x5000000ull

static void mapped(uint16_t cpu, uint64_t fault, uint64_t offset, uint64_t number, uint64_t cr3)
{
    put_map(cpu, fault, offset, number, cr3, USER);
    put_run(USER, GPA, 1, 12);
}

/* CPU 0 has executed the page as it was first. */
static void executed(void)
{
    put_page(0, 100, 1, A, USER, GPA, 1);
    mapped(0, 90, 110, 2, A);
}

/* It was executed before its map was read: from the fault on it is the new one. */
static void since_the_fault(void **state)
{
    (void)state;
    executed();
    put_refilled_page(0, 300, 3, A, USER, GPA, 2);
    mapped(0, 250, 300, 4, A);
    exactly(0, A, 249, USER, 1);
    exactly(0, A, 250, USER, 2);
    exactly(0, A, 299, USER, 2);
    exactly(0, A, 400, USER, 2);
}

/* Only the record of the same CPU says it; between the two there may be others. */
static void of_this_cpu(void **state)
{
    (void)state;
    executed();
    put_refilled_page(0, 300, 3, A, USER, GPA, 2);
    mapped(1, 20, 30, 5, B);
    put_seen(0, 305, 3);
    mapped(0, 250, 310, 4, A);
    exactly(0, A, 249, USER, 1);
    exactly(0, A, 250, USER, 2);
}

/* Another CPU runs it from its next record on, whatever this CPU's offsets are. */
static void on_another_cpu(void **state)
{
    (void)state;
    executed();
    put_seen(1, 1000, 2);
    put_refilled_page(0, 300, 3, A, USER, GPA, 2);
    mapped(0, 250, 300, 4, A);
    put_seen(1, 2000, 3);
    assert_int_equal(version_at(1, A, 1999, USER), 1);
    assert_int_equal(version_at(1, A, 2000, USER), 2);
}

/* The stream was cut after it. */
static void without_its_map(void **state)
{
    (void)state;
    executed();
    put_refilled_page(0, 300, 3, A, USER, GPA, 2);
    exactly(0, A, 299, USER, 1);
    exactly(0, A, 300, USER, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CODE_TEST(since_the_fault),
        CODE_TEST(of_this_cpu),
        CODE_TEST(on_another_cpu),
        CODE_TEST(without_its_map),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    code_reset(NULL);
    return failed;
}
