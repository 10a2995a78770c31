/* When open calls began: places are reused, and each keeps its own time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "decode/cli/trace/trace_begins.h"

static void places_are_reused(void **state)
{
    struct trace_begins begins = {0};
    uint32_t places[1000];
    uint64_t tsc;
    (void)state;
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < 1000; i++)
            assert_true((places[i] = trace_begins_add(&begins, 1000 * round + i)) != 0);
        for (uint32_t i = 0; i < 1000; i++) {
            const uint32_t at = (i * 7 + round) % 1000; /* in another order */
            assert_true(trace_begins_take(&begins, places[at], &tsc));
            assert_int_equal(tsc, 1000 * round + at);
        }
    }
    assert_int_equal(begins.count, 1000);
    assert_false(trace_begins_take(&begins, 0, &tsc));
    trace_begins_free(&begins);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_are_reused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
