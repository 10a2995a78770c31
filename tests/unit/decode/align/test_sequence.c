/* The alignment of two sequences: as long as the longest common subsequence,
 * wherever that is affordable. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decode/align/sequence.h"

#define MOST 3000u

static uint64_t a[MOST], b[MOST];
static size_t partner[MOST];

/* How many are aligned, after a check that they are equal and in order. */
static size_t aligned(size_t nr_a, size_t nr_b)
{
    size_t count = 0, next = 0;
    assert_true(sequence_align(partner, a, nr_a, b, nr_b));
    for (size_t i = 0; i < nr_a; i++) {
        if (partner[i] == SEQUENCE_NONE)
            continue;
        assert_in_range(partner[i], next, nr_b - 1);
        assert_int_equal(a[i], b[partner[i]]);
        next = partner[i] + 1;
        count++;
    }
    return count;
}

/* By the table of all prefixes. */
static size_t longest(size_t nr_a, size_t nr_b)
{
    size_t row[64] = {0};
    for (size_t i = 0; i < nr_a; i++)
        for (size_t k = 0, corner = 0; k < nr_b; k++) {
            const size_t above = row[k + 1];
            row[k + 1] = a[i] == b[k] ? corner + 1 : above > row[k] ? above : row[k];
            corner = above;
        }
    return row[nr_b];
}

static uint32_t random_number(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void is_the_longest(void **state)
{
    uint32_t seed = 1;
    (void)state;
    for (unsigned round = 0; round < 3000; round++) {
        const size_t nr_a = random_number(&seed) % 40, nr_b = random_number(&seed) % 40;
        const uint32_t kinds = 1 + random_number(&seed) % 8;
        for (size_t i = 0; i < 40; i++) {
            a[i] = random_number(&seed) % kinds;
            b[i] = random_number(&seed) % kinds;
        }
        assert_int_equal(aligned(nr_a, nr_b), longest(nr_a, nr_b));
    }
}

static void is_empty(void **state)
{
    (void)state;
    a[0] = b[0] = 1;
    assert_int_equal(aligned(0, 0), 0);
    assert_int_equal(aligned(1, 0), 0);
    assert_int_equal(aligned(0, 1), 0);
    assert_int_equal(aligned(1, 1), 1);
}

/* More edits than are searched for: stretch by stretch, and what is equal at
 * the end is still found. */
static void has_many_edits(void **state)
{
    (void)state;
    for (size_t i = 0; i < MOST; i++) {
        a[i] = i < 2000 ? 1000000 + i : i;
        b[i] = i < 2000 ? 2000000 + i : i;
    }
    assert_int_equal(aligned(MOST, MOST), MOST - 2000);
    for (size_t i = 0; i < MOST; i++)
        b[i] = i % 2 ? 5000000 + i : a[i]; /* each second one */
    assert_in_range(aligned(MOST, MOST), MOST / 2, MOST / 2);
    for (size_t i = 0; i < MOST; i++)
        b[i] = 9000000 + i;
    assert_int_equal(aligned(MOST, MOST), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_the_longest),
        cmocka_unit_test(is_empty),
        cmocka_unit_test(has_many_edits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
