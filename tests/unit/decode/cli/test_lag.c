/* How long ago the first byte that is not decoded was received. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "decode/cli/text/lag.h"

static void there_is_none_when_all_is_decoded(void **state)
{
    (void)state;
    static struct lag lag;
    assert_true(lag_seconds(&lag, 5, 0) == 0);
    lag_note(&lag, 1, 100);
    assert_true(lag_seconds(&lag, 9, 100) == 0);
}

static void the_first_note_with_more_counts(void **state)
{
    (void)state;
    static struct lag lag;
    for (uint64_t second = 1; second <= 5; second++)
        lag_note(&lag, (double)second, 100 * second);
    lag_note(&lag, 8, 500); /* nothing new */
    assert_true(lag_seconds(&lag, 10, 200) == 7);
    assert_true(lag_seconds(&lag, 10, 499) == 5);
    assert_true(lag_seconds(&lag, 10, 0) == 9);
}

static void notes_reach_back_so_far(void **state)
{
    (void)state;
    static struct lag lag;
    for (uint64_t i = 1; i <= 3 * LAG_NOTES; i++)
        lag_note(&lag, (double)i, i);
    assert_true(lag_seconds(&lag, 3 * LAG_NOTES, 0) == LAG_NOTES - 1);
    assert_true(lag_seconds(&lag, 3 * LAG_NOTES, 3 * LAG_NOTES - 1) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_is_none_when_all_is_decoded),
        cmocka_unit_test(the_first_note_with_more_counts),
        cmocka_unit_test(notes_reach_back_so_far),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
