/* Address spaces that end, and others that begin in the same tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "decode/code/code_generations.h"
#include "tests/unit/decode/code/code_fixture.h"

#define PAGE RECORD_PAGE_SIZE

/* A has executed a page by a fault; it ends at 100. B has had another page, at another address. */
static void put_generation(void)
{
    put_executed_map(0, 10, 1, A, USER, 0x100000, 1);
    put_executed_map(0, 30, 3, B, 0x7f0000000000, 0x101000, 2);
    put_end(0, 100, 5, A);
}

/* Up to the space's end its page is known, from there on it is not: there is no record of the next space. */
static void records_end_with_their_space(void **state)
{
    (void)state;
    put_generation();
    exactly(0, A, 99, USER, 1);
    exactly(0, A, 100, USER, NOT_KNOWN);
    exactly(0, A, 200, USER, NOT_KNOWN);
    exactly(0, B, 200, 0x7f0000000000, 2);
}

/* Records of the next generation hold for it only; so do those of the same page as before. */
static void the_next_generation(void **state)
{
    (void)state;
    put_generation();
    put_page_map(0, 150, 160, 6, A, USER, 0x101000);
    put_end(0, 200, 7, A);
    put_page_map(0, 250, 260, 8, A, USER, 0x100000);
    exactly(0, A, 99, USER, 1);
    exactly(0, A, 149, USER, NOT_KNOWN);
    exactly(0, A, 150, USER, 2);
    exactly(0, A, 199, USER, 2);
    exactly(0, A, 249, USER, NOT_KNOWN);
    exactly(0, A, 250, USER, 1);
}

/* Between two generations that have the same page there may be one that has another: an older and a newer record do not
 * make it certain, as they do within a generation. */
static void a_generation_between_two_that_are_alike(void **state)
{
    (void)state;
    put_generation();
    put_end(0, 200, 6, A);
    put_page(0, 250, 7, A, USER, 0x100000, 1);
    exactly(0, A, 150, USER, NOT_KNOWN);
    exactly(0, A, 199, USER, NOT_KNOWN);
    exactly(0, A, 250, USER, 1);
}

/* A page's own record ends as well, without any map record. */
static void a_page_without_a_fault(void **state)
{
    (void)state;
    put_page_map(0, 10, 20, 1, B, USER, 0x101000);
    put_page(0, 30, 2, A, USER + PAGE, 0x100000, 1);
    put_end(0, 100, 3, A);
    exactly(0, A, 99, USER + PAGE, 1);
    exactly(0, A, 100, USER + PAGE, NOT_KNOWN);
}

/* Another CPU: from its own next record on. */
static void on_another_cpu(void **state)
{
    (void)state;
    put_generation();
    put_seen(1, 60, 4);
    put_seen(1, 500, 5);
    exactly(1, A, 60, USER, 1);
    exactly(1, A, 499, USER, 1);
    exactly(1, A, 500, USER, NOT_KNOWN);
}

/* One record for each stretch and each end of a generation that recorded it, or of the previous one, however often. */
static void stretches_and_generations(void **state)
{
    (void)state;
    struct code_map ends[] = {{.space = B, .number = 9}, {.space = A, .number = 20}, {.space = A, .number = 10}};
    struct code_stretch recorded[] = {
        {A, USER, PAGE, 12}, {A, USER, PAGE, 3},  {A, USER, PAGE, 5},        {A, USER, 2 * PAGE, 4},
        {A, USER, PAGE, 21}, {B, USER, PAGE, 10}, {B, USER + PAGE, PAGE, 8}, {C, USER, PAGE, 1},
    };
    struct code_map *made;
    size_t nr;
    assert_true(code_generations_end(&made, &nr, ends, 3, recorded, 8));
    assert_int_equal(nr, 5);
    const struct code_stretch should[] = {{A, USER, PAGE, 10},
                                          {A, USER, PAGE, 20},
                                          {A, USER, 2 * PAGE, 10},
                                          {B, USER, PAGE, 9},
                                          {B, USER + PAGE, PAGE, 9}};
    for (size_t i = 0; i < nr; i++) {
        assert_int_equal(made[i].space, should[i].space);
        assert_int_equal(made[i].linear, should[i].linear);
        assert_int_equal(made[i].size, should[i].size);
        assert_int_equal(made[i].number, should[i].number);
    }
    free(made);
    assert_true(code_generations_end(&made, &nr, ends, 0, recorded, 8));
    assert_null(made);
    assert_int_equal(nr, 0);
}

/* A 32-bit guest: all spaces have the kernel's pages, above all user-mode code, in common, and a process that ends
 * leaves them. User pages end with it. */
static void a_32_bit_kernel_outlives_its_processes(void **state)
{
    const uint64_t kernel = 0xc1000000, user = 0x8048000, library = 0xb7f00000;
    (void)state;
    put_page_map(0, 10, 20, 1, A, user, 0x100000);
    put_page_32(0, 21, 2, A, user, 0x100000, 1);
    put_page_map(0, 30, 40, 3, B, library, 0x101000);
    put_page_32(0, 50, 4, A, kernel, 0x200000, 2);
    put_end(0, 100, 5, A);
    exactly(0, A, 99, kernel, 2);
    exactly(0, A, 100, kernel, 2);
    exactly(0, B, 200, kernel, 2);
    exactly(0, A, 99, user, 1);
    exactly(0, A, 100, user, NOT_KNOWN);
}

/* In a 64-bit guest the same address is a process's own. */
static void a_32_bit_process_of_a_64_bit_kernel(void **state)
{
    (void)state;
    put_page_map(0, 10, 20, 1, A, 0x8048000, 0x100000);
    put_page(0, 50, 4, A, 0xc1000000, 0x200000, 2);
    put_end(0, 100, 5, A);
    exactly(0, A, 99, 0xc1000000, 2);
    exactly(0, A, 100, 0xc1000000, NOT_KNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CODE_TEST(a_32_bit_kernel_outlives_its_processes),
        CODE_TEST(a_32_bit_process_of_a_64_bit_kernel),
        CODE_TEST(records_end_with_their_space),
        CODE_TEST(the_next_generation),
        CODE_TEST(a_generation_between_two_that_are_alike),
        CODE_TEST(a_page_without_a_fault),
        CODE_TEST(on_another_cpu),
        cmocka_unit_test(stretches_and_generations),
    };
    return cmocka_run_group_tests(tests, NULL, code_reset);
}
