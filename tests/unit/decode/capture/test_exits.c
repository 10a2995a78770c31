/* VM exits by reason, summed over the END records of several CPUs, of older hypervisors, and of broken texts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "decode/capture/exits.h"

static struct exits taken(const char *text)
{
    struct exits exits;
    exits_take(&exits, (struct record_text){text, strlen(text)});
    return exits;
}

static void assert_reason(const struct exits_reason *reason, const char *name, uint64_t count, uint64_t ticks)
{
    assert_int_equal(reason->name.size, strlen(name));
    assert_memory_equal(reason->name.bytes, name, strlen(name));
    assert_int_equal(reason->count, count);
    assert_int_equal(reason->ticks, ticks);
}

static void reasons_have_counts_and_ticks_in_their_order(void **state)
{
    const struct exits exits =
        taken("trace_bytes 1000\nexit.cpuid 4\nexit.wrmsr 2\nexits 6\nexit_tsc 4000 9000000000000000000\nsleeps 1\n");
    (void)state;
    assert_true(exits.known && exits.timed);
    assert_int_equal(exits.count, 2);
    assert_reason(&exits.items[0], "cpuid", 4, 4000);
    assert_reason(&exits.items[1], "wrmsr", 2, 9000000000000000000);
}

static void an_end_without_ticks_is_not_timed(void **state)
{
    static const char *const texts[] = {"exit.cpuid 4\nexits 4\n", "exit.cpuid 4\nexit.wrmsr 2\nexit_tsc 4000\n",
                                        "exit.cpuid 4\nexit_tsc 4000 5\n", "exit.cpuid 4\nexit_tsc many\n",
                                        "exit.cpuid 4\nexit_tsc \n"};
    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        const struct exits exits = taken(texts[i]);
        assert_true(exits.known && !exits.timed);
        assert_int_equal(exits.items[0].count, 4);
    }
}

static void a_missing_end_makes_the_sum_unknown(void **state)
{
    struct exits sum = {0};
    const struct exits first = taken("exit.cpuid 4\nexit_tsc 4000\n"), second = taken("");
    (void)state;
    exits_add(&sum, &first, true);
    assert_true(sum.known && sum.timed);
    exits_add(&sum, &second, false);
    assert_false(sum.known || sum.timed);
}

static void the_sum_has_the_reasons_of_all_cpus_the_costliest_first(void **state)
{
    struct exits sum = {0};
    const struct exits first = taken("exit.cpuid 9\nexit.wrmsr 2\nexit_tsc 4000 7000\n"),
                       second = taken("exit.sipi 1\nexit.wrmsr 3\nexit_tsc 20000 10\n");
    (void)state;
    exits_add(&sum, &first, true);
    exits_add(&sum, &second, false);
    exits_sort(&sum);
    assert_int_equal(sum.count, 3);
    assert_reason(&sum.items[0], "sipi", 1, 20000);
    assert_reason(&sum.items[1], "wrmsr", 5, 7010);
    assert_reason(&sum.items[2], "cpuid", 9, 4000);
}

static void without_ticks_the_most_frequent_is_first(void **state)
{
    struct exits sum = taken("exit.cpuid 4\nexit.wrmsr 9\nexits 13\n");
    (void)state;
    exits_sort(&sum);
    assert_reason(&sum.items[0], "wrmsr", 9, 0);
}

static void ticks_of_only_some_cpus_are_ignored(void **state)
{
    struct exits sum = {0};
    const struct exits first = taken("exit.cpuid 4\nexit_tsc 4000\n"), second = taken("exit.wrmsr 9\n");
    (void)state;
    exits_add(&sum, &first, true);
    exits_add(&sum, &second, false);
    exits_sort(&sum);
    assert_false(sum.timed);
    assert_reason(&sum.items[0], "wrmsr", 9, 0);
    assert_reason(&sum.items[1], "cpuid", 4, 0);
}

static void more_reasons_than_there_is_room_for_are_left_out(void **state)
{
    static char text[(EXITS_MAX + 2) * 16];
    size_t length = 0;
    (void)state;
    for (unsigned i = 0; i < EXITS_MAX + 2; i++)
        length += (size_t)snprintf(text + length, sizeof(text) - length, "exit.r%u 1\n", i);
    const struct exits exits = taken(text);
    assert_int_equal(exits.count, EXITS_MAX);
    assert_false(exits.timed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reasons_have_counts_and_ticks_in_their_order),
        cmocka_unit_test(an_end_without_ticks_is_not_timed),
        cmocka_unit_test(a_missing_end_makes_the_sum_unknown),
        cmocka_unit_test(the_sum_has_the_reasons_of_all_cpus_the_costliest_first),
        cmocka_unit_test(without_ticks_the_most_frequent_is_first),
        cmocka_unit_test(ticks_of_only_some_cpus_are_ignored),
        cmocka_unit_test(more_reasons_than_there_is_room_for_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
