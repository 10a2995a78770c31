/* Percentiles and histograms, compared with those of a sorted array. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "decode/measure/distribution.h"
#include "decode/measure/slowest.h"

#define COUNT 5000u

static int by_value(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

/* The least value that so many thousandths are not above. */
static uint64_t nearest_rank(const uint64_t *sorted, size_t count, unsigned thousandths)
{
    return sorted[(count * thousandths + 999) / 1000 - 1];
}

static void compare(uint64_t most)
{
    struct distribution d = {0};
    uint64_t values[COUNT], sum = 0, random = 88172645463325252ull;
    for (size_t i = 0; i < COUNT; i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        values[i] = (random >> random % 48) % most;
        sum += values[i];
        distribution_add(&d, values[i]);
    }
    qsort(values, COUNT, sizeof(values[0]), by_value);
    assert_int_equal(d.count, COUNT);
    assert_int_equal(d.sum, sum);
    assert_int_equal(d.least, values[0]);
    assert_int_equal(d.most, values[COUNT - 1]);
    for (unsigned thousandths = 1; thousandths <= 1000; thousandths++) {
        const uint64_t exact = nearest_rank(values, COUNT, thousandths);
        assert_true(distribution_percentile(&d, thousandths) - exact <= exact / 128);
    }
    uint64_t counted = 0;
    for (unsigned bit = 0; bit < 64; bit++) {
        uint64_t wanted = 0;
        for (size_t i = 0; i < COUNT; i++)
            wanted += (values[i] ? 63 - (unsigned)__builtin_clzll(values[i]) : 0) == bit;
        assert_int_equal(distribution_octave(&d, bit), wanted);
        counted += wanted;
    }
    assert_int_equal(counted, COUNT);
    distribution_free(&d);
}

static void percentiles_are_those_of_the_sorted_values(void **state)
{
    (void)state;
    compare(200); /* exact */
    compare(1000);
    compare(UINT64_MAX);
}

static void extremes(void **state)
{
    struct distribution d = {0};
    (void)state;
    assert_int_equal(distribution_percentile(&d, 500), 0);
    distribution_add(&d, UINT64_MAX);
    assert_int_equal(distribution_percentile(&d, 1), UINT64_MAX);
    assert_int_equal(distribution_octave(&d, 63), 1);
    distribution_add(&d, 0);
    assert_int_equal(distribution_percentile(&d, 500), 0);
    assert_int_equal(distribution_octave(&d, 0), 1);
    distribution_free(&d);
}

static void the_slowest_are_kept_in_order(void **state)
{
    struct slowest slowest = {0};
    (void)state;
    for (uint64_t i = 0; i < 100; i++) {
        const struct slow_call call = {.begin = i, .elapsed = i * 37 % 50};
        if (slowest_has_room(&slowest, call.elapsed))
            slowest_add(&slowest, &call);
    }
    assert_int_equal(slowest.count, SLOWEST_COUNT);
    for (uint64_t i = 0; i < SLOWEST_COUNT; i++) {
        assert_int_equal(slowest.items[i].elapsed, 49 - i / 2); /* each length twice, the earlier first */
        assert_int_equal(slowest.items[i].elapsed, slowest.items[i].begin * 37 % 50);
        assert_true(i % 2 == 0 || slowest.items[i - 1].begin < slowest.items[i].begin);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(percentiles_are_those_of_the_sorted_values),
        cmocka_unit_test(extremes),
        cmocka_unit_test(the_slowest_are_kept_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
