/* Pages that devices have written since they were sent. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "vmx/code/page_sums.h"

#define PAGE ((uint64_t)RECORD_PAGE_SIZE)
#define SET_DISTANCE (NR_PAGE_SUMS * PAGE) /* pages so far apart share a set */
#define GPA 0x1234567000ull

static struct page_sums sums;
static uint64_t page[RECORD_PAGE_SIZE / sizeof(uint64_t)], other[RECORD_PAGE_SIZE / sizeof(uint64_t)];

/* As vmx/code/mappings.c judges. */
static bool differs(uint64_t gpa, const void *now)
{
    uint32_t sum = 0;
    const enum page_sent sent = page_sums_find(&sums, gpa, &sum);

    return sent == PAGE_FORGOTTEN || (sent == PAGE_SENT && sum != page_sum(now));
}

static int reset(void **state)
{
    uint64_t random = 1;
    (void)state;
    memset(&sums, 0, sizeof sums);
    for (size_t i = 0; i < sizeof page / sizeof *page; i++)
        page[i] = random = random * 6364136223846793005ull + 1442695040888963407ull;
    memcpy(other, page, sizeof other);
    return 0;
}

static void sent_and_not(void **state)
{
    (void)state;
    assert_false(differs(GPA, page)); /* never sent */
    page_sums_note(&sums, GPA, page);
    assert_false(differs(GPA, page));
    assert_false(differs(GPA + PAGE, other));
    assert_false(differs(GPA + SET_DISTANCE, other)); /* shares its set, was never sent */
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        other[i] ^= 1ull << i % 64;
    assert_true(differs(GPA, other));
    page_sums_note(&sums, GPA, other);
    assert_false(differs(GPA, other));
    assert_true(differs(GPA, page));
}

/* A difference of 512 bytes is noticed anywhere in the page. So is one of 64 bytes in the first 512 of a page that is
 * otherwise zero, as a short program's is. */
static void parts(void **state)
{
    (void)state;
    page_sums_note(&sums, GPA, page);
    for (size_t at = 0; at + 64 <= sizeof page / sizeof *page; at += 64) {
        memcpy(other, page, sizeof other);
        for (size_t i = 0; i < 64; i++)
            other[at + i] = ~other[at + i];
        assert_true(differs(GPA, other));
    }
    memset(page, 0, sizeof page);
    page_sums_note(&sums, GPA, page);
    for (size_t line = 0; line < 8; line++) {
        memset(other, 0, sizeof other);
        memset(&other[8 * line], 0xcc, 64);
        assert_true(differs(GPA, other));
    }
}

/* Pages that share a set, one more than it holds: a forgotten page counts as different, and no different page as equal.
 */
static void forgotten(void **state)
{
    unsigned differ = 0;
    (void)state;
    for (uint64_t i = 0; i < PAGE_SUMS_WAYS; i++)
        page_sums_note(&sums, GPA + i * SET_DISTANCE, page);
    for (uint64_t i = 0; i < PAGE_SUMS_WAYS; i++)
        assert_false(differs(GPA + i * SET_DISTANCE, page));
    assert_true(differs(GPA + PAGE_SUMS_WAYS * SET_DISTANCE, page)); /* the set is full: it may have been forgotten */
    page_sums_note(&sums, GPA + PAGE_SUMS_WAYS * SET_DISTANCE, page);
    assert_false(differs(GPA + PAGE_SUMS_WAYS * SET_DISTANCE, page));
    for (uint64_t i = 0; i < PAGE_SUMS_WAYS; i++)
        differ += differs(GPA + i * SET_DISTANCE, page);
    assert_int_equal(differ, 1);
    other[3] ^= 1;
    for (uint64_t i = 0; i <= PAGE_SUMS_WAYS; i++)
        assert_true(differs(GPA + i * SET_DISTANCE, other));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(sent_and_not, reset),
        cmocka_unit_test_setup(parts, reset),
        cmocka_unit_test_setup(forgotten, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
