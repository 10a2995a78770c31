/* Moments on the command line: seconds, ticks, branches, and invalid words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "decode/cli/options/time_word.h"

static const struct time_word_clock timed = {.first_tsc = 5000, .khz = 2000};

static uint64_t parse(const struct time_word_clock *clock, const char *word)
{
    uint64_t ticks = 0;
    assert_true(time_word_parse(&ticks, clock, word, strlen(word)));
    return ticks;
}

static void refuse(const struct time_word_clock *clock, const char *word)
{
    uint64_t ticks = 77;
    assert_false(time_word_parse(&ticks, clock, word, strlen(word)));
    assert_int_equal(ticks, 77);
}

static void seconds_and_ticks_count_from_the_first_tsc(void **state)
{
    (void)state;
    assert_int_equal(parse(&timed, "0"), 5000);
    assert_int_equal(parse(&timed, "1.5"), 5000 + 3000000);
    assert_int_equal(parse(&timed, ".5"), 5000 + 1000000);
    assert_int_equal(parse(&timed, "0.000000999"), 5000 + 2); /* rounded to ticks */
    assert_int_equal(parse(&timed, "123t"), 5123);
}

static void a_part_of_a_word(void **state)
{
    uint64_t ticks = 0;
    (void)state;
    assert_true(time_word_parse(&ticks, &timed, "10t-20t", 3));
    assert_int_equal(ticks, 5010);
}

static void without_tsc_branches_are_counted(void **state)
{
    const struct time_word_clock clock = {.by_branches = true};
    (void)state;
    assert_int_equal(parse(&clock, "1000"), 1000);
    assert_int_equal(parse(&clock, "1000t"), 1000);
    refuse(&clock, "1.5");
}

static void invalid_times(void **state)
{
    static const char *const words[] = {"", "t", "-1", "-1t", "later", "nan", "inf", "1e12", "1 ", "1x", "1.5t", "+1"};
    const struct time_word_clock unknown = {.first_tsc = 5000};
    (void)state;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        refuse(&timed, words[i]);
    refuse(&unknown, "1.5");
    assert_int_equal(parse(&unknown, "7t"), 5007);
}

static void a_window_may_be_open(void **state)
{
    static const char *const wrong[] = {"", "5", "1.5-x", "x-1.5", "2-1", "1-2-3"};
    uint64_t from = 1, to = 999999999;
    (void)state;
    assert_true(time_word_window(&from, &to, &timed, "10t-20t"));
    assert_int_equal(from, 5010);
    assert_int_equal(to, 5020);
    to = UINT64_MAX;
    assert_true(time_word_window(&from, &to, &timed, "1.5-"));
    assert_int_equal(from, 5000 + 3000000);
    assert_int_equal(to, UINT64_MAX);
    from = 0;
    assert_true(time_word_window(&from, &to, &timed, "-.5"));
    assert_int_equal(from, 0);
    assert_int_equal(to, 5000 + 1000000);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_false(time_word_window(&from, &to, &timed, wrong[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(seconds_and_ticks_count_from_the_first_tsc),
                                       cmocka_unit_test(a_part_of_a_word),
                                       cmocka_unit_test(without_tsc_branches_are_counted),
                                       cmocka_unit_test(invalid_times), cmocka_unit_test(a_window_may_be_open)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
