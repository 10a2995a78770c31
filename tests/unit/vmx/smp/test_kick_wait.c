/* A CPU that waits for another one sends its INIT again at growing intervals, and gives up after a bound. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "vmx/smp/kick_wait.h"

/* TSC values, also where they wrap. */
static const uint64_t starts[] = {0, 1, 1ull << 40, UINT64_MAX - KICK_RESEND_TSC / 2, UINT64_MAX};
#define NR_STARTS (sizeof starts / sizeof starts[0])

static void nothing_is_sent_at_first(void **state)
{
    (void)state;
    for (size_t i = 0; i < NR_STARTS; i++) {
        struct kick_wait wait = {0};
        assert_int_equal(kick_wait_step(&wait, starts[i]), KICK_STEP_WAIT);
        assert_int_equal(kick_wait_step(&wait, starts[i] + KICK_RESEND_TSC - 1), KICK_STEP_WAIT);
        assert_int_equal(kick_wait_step(&wait, starts[i] + KICK_RESEND_TSC), KICK_STEP_RESEND);
        assert_int_equal(kick_wait_step(&wait, starts[i] + KICK_RESEND_TSC), KICK_STEP_WAIT);
    }
}

/* A loop that looks every 1,000 ticks, until it gives up. */
static void the_intervals_grow(void **state)
{
    (void)state;
    for (size_t i = 0; i < NR_STARTS; i++) {
        struct kick_wait wait = {0};
        uint64_t due = KICK_RESEND_TSC, waited = 0;
        unsigned nr_sent = 0;
        enum kick_step step;
        while ((step = kick_wait_step(&wait, starts[i] + waited)) != KICK_STEP_GIVE_UP) {
            if (step == KICK_STEP_RESEND) {
                assert_true(waited >= due && waited < due + 1000);
                due *= 2;
                nr_sent++;
            }
            waited += waited < 1ull << 24 ? 1000 : due - waited > 1000 ? due - waited : 1000;
            if (waited > KICK_GIVE_UP_TSC)
                waited = KICK_GIVE_UP_TSC + 1;
        }
        assert_int_equal(waited, KICK_GIVE_UP_TSC + 1);
        assert_int_equal(nr_sent, 20); /* the last one after KICK_RESEND_TSC << 19, most of the bound */
    }
}

static void the_end_is_the_end(void **state)
{
    (void)state;
    struct kick_wait wait = {0};
    kick_wait_step(&wait, 7);
    assert_int_equal(kick_wait_step(&wait, 7 + KICK_GIVE_UP_TSC), KICK_STEP_RESEND);
    assert_int_equal(kick_wait_step(&wait, 7 + KICK_GIVE_UP_TSC + 1), KICK_STEP_GIVE_UP);
    assert_int_equal(kick_wait_step(&wait, 7 + 2 * KICK_GIVE_UP_TSC), KICK_STEP_GIVE_UP);
}

/* Some 20 seconds at the frequencies of today's TSCs. */
static void the_bound_in_seconds(void **state)
{
    (void)state;
    assert_in_range(KICK_GIVE_UP_TSC / 4000000000ull, 15, 25);
    assert_in_range(KICK_GIVE_UP_TSC / 2400000000ull, 15, 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_sent_at_first),
        cmocka_unit_test(the_intervals_grow),
        cmocka_unit_test(the_end_is_the_end),
        cmocka_unit_test(the_bound_in_seconds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
