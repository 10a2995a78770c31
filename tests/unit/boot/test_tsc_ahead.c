/* By how much another CPU's TSC is ahead: the bounds of all exchanges hold together. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "boot/tsc_ahead.h"

static int64_t ticks;
static uint32_t error;

/* Exchanges whose answer is read so long after the request, of a TSC that is ahead by this much. */
static bool differs(int64_t by)
{
    static const struct {
        uint32_t request, answer;
    } ways[] = {{900, 80}, {60, 500}, {100, 100}, {70, 3000}};
    struct tsc_ahead ahead = TSC_AHEAD_UNKNOWN;
    uint64_t now = 1000000;

    for (unsigned i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        const uint64_t other = now + ways[i].request + (uint64_t)by;
        tsc_ahead_take(&ahead, now, other, now + ways[i].request + ways[i].answer);
        now += 100000;
    }
    return tsc_ahead_differs(&ahead, &ticks, &error);
}

static void a_difference_is_within_the_error(void **state)
{
    const int64_t values[] = {200, -200, 1000, -1000, 30000, 1000000000, -1000000, 1ll << 40, -(1ll << 40)};
    (void)state;
    for (unsigned i = 0; i < sizeof values / sizeof values[0]; i++) {
        assert_true(differs(values[i]));
        assert_true(error <= 70); /* the shortest ways, 60 and 80, bound it */
        assert_true(ticks - values[i] <= (int64_t)error && values[i] - ticks <= (int64_t)error);
    }
}

static void less_than_an_exchange_is_none(void **state)
{
    (void)state;
    for (int64_t by = -60; by <= 60; by++)
        assert_false(differs(by));
}

static void nothing_is_known_without_an_exchange(void **state)
{
    struct tsc_ahead ahead = TSC_AHEAD_UNKNOWN;
    (void)state;
    assert_false(tsc_ahead_differs(&ahead, &ticks, &error));
}

/* A TSC that runs unevenly: the bounds contradict each other, which is the error. */
static void contradicting_bounds_are_an_error(void **state)
{
    struct tsc_ahead ahead = TSC_AHEAD_UNKNOWN;
    (void)state;
    tsc_ahead_take(&ahead, 1000, 6000, 1100);
    tsc_ahead_take(&ahead, 2000, 7600, 2100);
    assert_true(tsc_ahead_differs(&ahead, &ticks, &error));
    assert_in_range(ticks, 5000, 5500);
    assert_in_range(error, 240, 260);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_difference_is_within_the_error),
        cmocka_unit_test(less_than_an_exchange_is_none),
        cmocka_unit_test(nothing_is_known_without_an_exchange),
        cmocka_unit_test(contradicting_bounds_are_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
