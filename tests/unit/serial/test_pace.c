/*
 * The distance between requests for acknowledgements follows the measured throughput of the wire, however late root
 * mode polls, and however few bytes a request covers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "serial/wire/pace.h"

#define FRAME 1440u
#define MOST (64u * FRAME)
#define MS 1000u /* ticks */
#define SLOW (5u * MS)

/* A request that covers bytes, and whose answer is polled so many ticks later. */
static void answered(struct pace *pace, uint32_t bytes, uint64_t ticks)
{
    const uint64_t arrived = pace->arrived, since = pace->since + 1000 * MS;

    pace_ack_requested(pace, 10, arrived, since);
    pace_adapt(pace, 9, arrived, since);
    pace_adapt(pace, 10, arrived + bytes, since + ticks);
    assert_false(pace->measuring);
}

static void a_fast_wire_is_asked_seldom(void **state)
{
    struct pace pace = pace_make(FRAME, MOST, SLOW);

    (void)state;
    assert_int_equal(pace.frames, 4);
    for (uint32_t frames = 4; frames < 64; frames *= 2) {
        answered(&pace, frames * FRAME, SLOW);
        assert_int_equal(pace.frames, 2 * frames);
    }
    answered(&pace, MOST, 1);
    assert_int_equal(pace.frames, 64);
}

/* A maximum that is not a power of two. */
static void it_comes_to_the_most(void **state)
{
    struct pace pace = pace_make(8928, MOST, SLOW);

    (void)state;
    assert_int_equal(pace.frames, 1);
    for (uint32_t i = 0; i < 5; i++)
        answered(&pace, MOST, 1);
    assert_int_equal(pace.frames, MOST / 8928);
}

/* Root mode polled late: the wire is at least as fast as what has arrived until then. */
static void late_looks_count_what_arrived(void **state)
{
    struct pace pace = pace_make(FRAME, MOST, SLOW);

    (void)state;
    answered(&pace, 4 * FRAME, SLOW + 1);
    assert_int_equal(pace.frames, 4);
    answered(&pace, 50 * FRAME, 100 * MS);
    assert_int_equal(pace.frames, 4);
    answered(&pace, 364 * FRAME, 20 * MS);
    assert_int_equal(pace.frames, 8);
}

static void few_bytes_prove_nothing(void **state)
{
    struct pace pace = pace_make(FRAME, MOST, SLOW);

    (void)state;
    answered(&pace, 100, MS / 10);
    assert_int_equal(pace.frames, 4);
}

static void slow_answers_bring_it_down(void **state)
{
    struct pace pace = pace_make(FRAME, MOST, SLOW);

    (void)state;
    answered(&pace, MOST, 1);
    answered(&pace, MOST, 1);
    for (uint32_t frames = 16; frames >= 4; frames /= 2) {
        assert_int_equal(pace.frames, frames);
        pace_ack_requested(&pace, 20, 0, 0);
        pace_ack_requested(&pace, 30, 0, SLOW); /* the first request is measured */
        pace_adapt(&pace, 19, 0, SLOW - 1);
        assert_int_equal(pace.frames, frames);
        pace_adapt(&pace, 19, 0, SLOW);
    }
    assert_int_equal(pace.frames, 4);
}

/* At 10 Mbit/s, however root mode polls, the wire carries the frames between two requests in less than 20 ms. */
static void no_frames_wait_for_the_timeout(void **state)
{
    const uint32_t payloads[] = {FRAME, 8936}, per_ms = 1250;

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct pace pace = pace_make(payloads[i], MOST, SLOW);

        for (uint32_t late = 0; late < 200; late++) {
            const uint32_t ticks = pace.frames * payloads[i] * MS / per_ms;

            assert_true(ticks < 20 * MS);
            answered(&pace, pace.frames * payloads[i], ticks + late % 37 * MS);
        }
    }
}

static void numbers_wrap(void **state)
{
    struct pace pace = pace_make(FRAME, MOST, SLOW);

    (void)state;
    pace_ack_requested(&pace, 3, 0, 0);
    pace_adapt(&pace, UINT32_MAX - 1, 0, 1);
    assert_true(pace.measuring);
    pace_adapt(&pace, 3, 4 * FRAME, 2);
    assert_int_equal(pace.frames, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fast_wire_is_asked_seldom),
        cmocka_unit_test(it_comes_to_the_most),
        cmocka_unit_test(late_looks_count_what_arrived),
        cmocka_unit_test(few_bytes_prove_nothing),
        cmocka_unit_test(slow_answers_bring_it_down),
        cmocka_unit_test(no_frames_wait_for_the_timeout),
        cmocka_unit_test(numbers_wrap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
