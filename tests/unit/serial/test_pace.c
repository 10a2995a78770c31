/*
 * How much may be in flight follows the measured throughput of the wire, however late root mode polls, and however few
 * bytes a request covers. Losses lower it only as far as docs/wire.md says.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "serial/wire/pace.h"

#define FRAME 1440u
#define WINDOW 1024u
#define HZ 1000000u /* a tick is a microsecond */
#define MS 1000u

static struct pace pace_new(void)
{
    return pace_make(FRAME, WINDOW, 128 * FRAME, HZ);
}

/* Bytes in flight whose answer is found ticks later; the poll before was early ticks before that. */
static void answered(struct pace *pace, uint64_t bytes, uint64_t ticks, uint64_t early)
{
    pace->polled = 1000 * MS + ticks - early;
    pace_adapt(pace,
               &(struct pace_answer){
                   .bytes = bytes, .since = 1000 * MS, .sent = 1000 * MS, .now = 1000 * MS + ticks, .shortest = 100});
}

static void it_begins_with_32_frames(void **state)
{
    const struct pace pace = pace_new(), large = pace_make(8928, WINDOW, 184320, HZ);

    (void)state;
    assert_int_equal(pace.limit, 32 * FRAME);
    assert_int_equal(pace.frames, 4);
    assert_int_equal(large.limit, 46080);
    assert_int_equal(large.frames, 1);
}

static void the_limit_is_25_ms_of_the_wire(void **state)
{
    struct pace pace = pace_new();

    (void)state;
    answered(&pace, 25000, 2 * MS, 1); /* 100 Mbit/s */
    assert_int_equal(pace.limit, 12500 * 251 / 10);
    assert_int_equal(pace.frames, 12500 * 251 / 10 / 8 / FRAME);
    answered(&pace, 250000, 2 * MS, 1);
    assert_int_equal(pace.limit, WINDOW * FRAME);
    assert_int_equal(pace.frames, 128);
}

/* Few bytes, or bytes whose answer root mode found late, show that the wire is at least so fast, but not that it is
 * slow. */
static void a_late_poll_proves_nothing(void **state)
{
    struct pace pace = pace_new();

    (void)state;
    answered(&pace, 1250000, 10 * MS, 1);
    assert_int_equal(pace.limit, WINDOW * FRAME);
    answered(&pace, 100, 200 * MS, 190 * MS);
    answered(&pace, 100, 20 * MS, 1);
    assert_int_equal(pace.limit, WINDOW * FRAME);
}

static void slow_answers_lower_it(void **state)
{
    struct pace pace = pace_new();
    uint64_t in_flight;

    (void)state;
    answered(&pace, 1250000, 10 * MS, 1);
    for (unsigned i = 0; i < 10; i++) { /* 10 Mbit/s from now on */
        in_flight = pace.limit;
        answered(&pace, in_flight, in_flight * 8 / 10, 1);
        assert_true(pace.limit >= in_flight / 2);
    }
    assert_in_range(pace.limit, 31250, 32000);
    for (unsigned i = 0; i < 10; i++) { /* 1 Mbit/s */
        answered(&pace, pace.limit, pace.limit * 8ull, 1);
    }
    assert_int_equal(pace.limit, 8 * FRAME);
    assert_int_equal(pace.frames, 1);
}

static void some_losses_leave_a_quarter_of_the_window(void **state)
{
    struct pace pace = pace_new();

    (void)state;
    answered(&pace, 1250000, 10 * MS, 1);
    pace_count_losses(&pace, WINDOW, 1);
    answered(&pace, 1250000, 10 * MS, 1);
    assert_int_equal(pace.limit, WINDOW * FRAME / 4);
    for (uint32_t round = 2; round < 9; round++) {
        pace_count_losses(&pace, WINDOW * round, 1);
        answered(&pace, 1250000, 10 * MS, 1);
        assert_int_equal(pace.limit, WINDOW * FRAME / 4);
    }
    pace_count_losses(&pace, WINDOW * 9, 1);
    answered(&pace, 1250000, 10 * MS, 1);
    assert_int_equal(pace.limit, WINDOW * FRAME);
}

static void a_long_round_trip_needs_more(void **state)
{
    struct pace pace = pace_new();
    const struct pace_answer answer = {.bytes = 1000000, .now = 12 * MS, .shortest = 10 * MS};

    (void)state;
    pace_count_losses(&pace, WINDOW, 1);
    pace_adapt(&pace, &answer);
    assert_int_equal(pace.limit, 1000000ull * 10 / 12 * 5 / 4);
}

static void many_losses_lower_it(void **state)
{
    struct pace pace = pace_new();

    (void)state;
    pace_count_losses(&pace, 127, 127); /* not yet a round */
    assert_int_equal(pace.limit, 32 * FRAME);
    pace_count_losses(&pace, 130, 26); /* one in five */
    assert_int_equal(pace.limit, 32 * FRAME);
    pace_count_losses(&pace, 260, 53);
    assert_int_equal(pace.limit, 24 * FRAME);
    answered(&pace, 125000, 1 * MS, 1);
    assert_int_equal(pace.limit, 24 * FRAME);
    pace_count_losses(&pace, 390, 53);
    answered(&pace, 125000, 1 * MS, 1);
    assert_int_equal(pace.limit, 24 * FRAME * 17 / 16);
    for (uint32_t i = 4; i < 30; i++) {
        pace_count_losses(&pace, 130 * i, 130 * i);
    }
    assert_int_equal(pace.limit, 8 * FRAME);
}

static void numbers_wrap(void **state)
{
    struct pace pace = pace_new();

    (void)state;
    pace.round_sent = pace.round_lost = UINT32_MAX - 20;
    pace_count_losses(&pace, 109, UINT32_MAX - 20);
    assert_int_equal(pace.round_sent, 109);
    assert_int_equal(pace.limit, 32 * FRAME);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_begins_with_32_frames),
        cmocka_unit_test(the_limit_is_25_ms_of_the_wire),
        cmocka_unit_test(a_late_poll_proves_nothing),
        cmocka_unit_test(slow_answers_lower_it),
        cmocka_unit_test(some_losses_leave_a_quarter_of_the_window),
        cmocka_unit_test(a_long_round_trip_needs_more),
        cmocka_unit_test(many_losses_lower_it),
        cmocka_unit_test(numbers_wrap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
