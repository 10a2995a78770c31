/* Requests and their answers: which answer belongs to which request, timeouts, and what is in flight. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "serial/wire/flight.h"

#define SIZE 64u
#define HZ 1000000u /* a tick is a microsecond */
#define MS 1000u

static struct window_run runs[SIZE];
static uint8_t marks[SIZE];
static uint32_t resent[SIZE];
static uint64_t released[1];
static struct flight flight;

static int setup(void **state)
{
    const struct window_memory memory = {runs, marks, resent, SIZE};

    (void)state;
    flight_init(&flight, 1440, 32 * 1440, HZ, &memory, released, 1);
    return 0;
}

static void send_frames(uint32_t frames)
{
    struct window_run *run = window_push(&flight.window, frames);

    run->offset = 1440ull * run->first;
    run->pa = run->offset;
    run->bytes = 1440 * frames;
    run->length = 1440;
    run->stream = 0;
    flight.sent_bytes += run->bytes;
}

static bool answer(uint32_t seq, uint64_t bits, uint16_t flags, uint64_t now)
{
    const struct frame_header header = {.seq = seq, .flags = flags, .length = 8};
    const struct frame_ack ack = {.received = {bits}};

    return flight_answer(&flight, &header, &ack, now);
}

static void an_answer_measures_its_own_request(void **state)
{
    uint16_t flags[3];

    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        send_frames(4);
        flags[i] = flight_request(&flight, 100 * i);
    }
    assert_true(answer(8, 0, flags[1], 5100));
    assert_int_equal(flight.rtt.srtt, 5000);
    assert_int_equal(flight_room(&flight), flight.pace.limit - 4 * 1440);
    assert_true(answer(8, 0, flags[0], 5200)); /* too late: it measures nothing */
    assert_true(answer(8, 0, flags[1], 5200)); /* a duplicate */
    assert_true(answer(8, 0, 0, 5200));        /* no flags */
    assert_int_equal(flight.rtt.srtt, 5000);
    assert_true(flight_is_answer_due(&flight));
    assert_true(answer(12, 0, flags[2], 5300));
    assert_false(flight_is_answer_due(&flight));
    assert_int_equal(flight_room(&flight), flight.pace.limit);
    assert_false(flight.is_waiting);
    assert_false(answer(13, 0, flags[2], 5300));
}

static void numbers_of_requests_wrap(void **state)
{
    uint16_t flags = 0;

    (void)state;
    for (uint32_t i = 0; i < 70000; i++) {
        send_frames(1);
        flags = flight_request(&flight, 10ull * i);
        assert_true(answer(i + 1, 0, flags, 10ull * i + 5));
        assert_false(flight_is_answer_due(&flight));
    }
    assert_int_equal(flight.rtt.srtt, 5);
    assert_false(answer(69999, 0, flags, 0));
}

/* More requests than are remembered, of which the first are answered. */
static void an_old_answer_only_acknowledges(void **state)
{
    uint16_t first;

    (void)state;
    send_frames(2);
    first = flight_request(&flight, 0);
    for (uint32_t i = 0; i < FLIGHT_REQUESTS; i++) {
        flight_request(&flight, 10 + i);
    }
    assert_true(answer(1, 0, first, 500));
    assert_int_equal(flight.window.base, 1);
    assert_int_equal(flight.rtt.srtt, 0);
}

/* Three later frames had been sent before the request: not two. */
static void a_frame_is_lost_after_three_others(void **state)
{
    struct window_run frame;
    uint16_t flags;

    (void)state;
    send_frames(3);
    flags = flight_request(&flight, 0);
    answer(0, 3, flags, 1000);
    assert_false(flight_resend(&flight, &frame));
    send_frames(1);
    flags = flight_request(&flight, 1000);
    answer(0, 7, flags, 2000);
    assert_true(flight_resend(&flight, &frame));
    assert_int_equal(frame.first, 0);
    assert_false(flight_resend(&flight, &frame));
}

/* It is lost again when three frames that were sent after it are answered, and no sooner. */
static void a_retransmission_is_lost_too(void **state)
{
    struct window_run frame;
    uint16_t before, after;

    (void)state;
    send_frames(5);
    answer(0, 15, flight_request(&flight, 0), 1000);
    send_frames(1);
    before = flight_request(&flight, 1000);
    assert_true(flight_resend(&flight, &frame));
    send_frames(3);
    after = flight_request(&flight, 1100);
    answer(0, 31, before, 2000);
    assert_false(flight_resend(&flight, &frame));
    answer(0, 255, after, 2100);
    assert_true(flight_resend(&flight, &frame));
    assert_int_equal(frame.first, 0);
    assert_int_equal(flight.window.nr_lost, 2);
}

/* Frame 0 was overtaken by four others and sent again for nothing: it had arrived when an older request did. */
static void reordering_is_learnt(void **state)
{
    struct window_run frame;
    uint16_t first, second;

    (void)state;
    send_frames(5);
    first = flight_request(&flight, 0);
    second = flight_request(&flight, 0);
    answer(0, 15, first, 1000);
    assert_true(flight_resend(&flight, &frame));
    assert_int_equal(flight.window.reorder, WINDOW_REORDER);
    answer(5, 0, second, 1100);
    assert_int_equal(flight.window.reorder, 2 * WINDOW_REORDER);
    assert_true(window_empty(&flight.window));
}

static void silence_sends_two_frames(void **state)
{
    struct window_run frame;

    (void)state;
    send_frames(32);
    flight_request(&flight, 0);
    flight_polled(&flight, 199 * MS);
    assert_false(flight_resend(&flight, &frame));
    flight_polled(&flight, 200 * MS);
    assert_true(flight_resend(&flight, &frame));
    assert_int_equal(frame.first, 31);
    assert_true(flight_resend(&flight, &frame));
    assert_int_equal(frame.first, 0);
    assert_false(flight_resend(&flight, &frame));
    assert_int_equal(flight.window.nr_lost, 0);
    flight_polled(&flight, 599 * MS);
    assert_false(flight_resend(&flight, &frame));
    flight_polled(&flight, 600 * MS); /* twice as long */
    assert_true(flight_resend(&flight, &frame));
}

/* With little in flight an answer takes less than RTO, which was measured with a full queue. */
static void a_short_queue_has_a_short_timeout(void **state)
{
    struct window_run frame;
    uint64_t now = 0;

    (void)state;
    for (uint32_t i = 0; i < 20; i++) {
        send_frames(1);
        answer(flight.window.next, 0, flight_request(&flight, now), now + 1 * MS);
        now += 2 * MS;
        send_frames(20);
        answer(flight.window.next, 0, flight_request(&flight, now), now + 20 * MS);
        now += 30 * MS;
    }
    assert_true(flight.rtt.rto > 20 * MS);
    send_frames(1);
    flight_request(&flight, now);
    flight_polled(&flight, now + 3 * MS);
    assert_false(flight_resend(&flight, &frame));
    flight_polled(&flight, now + 10 * MS);
    assert_true(flight_resend(&flight, &frame));
}

/* CPUs' clocks agree only nearly: now may be before the time that another CPU has set. */
static void a_slightly_lower_clock_is_no_timeout(void **state)
{
    (void)state;
    send_frames(1);
    const uint16_t flags = flight_request(&flight, 1000 * MS);
    flight_polled(&flight, 1000 * MS - 10);
    assert_int_equal(flight.nr_timeouts, 0);
    answer(1, 0, flags, 1000 * MS - 5);
    assert_true(flight.rtt.srtt < 10);
    flight_polled(&flight, 5000 * MS);
    assert_int_equal(flight.nr_timeouts, 0);
}

#define TEST(name) cmocka_unit_test_setup(name, setup)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_answer_measures_its_own_request),
        TEST(numbers_of_requests_wrap),
        TEST(an_old_answer_only_acknowledges),
        TEST(a_frame_is_lost_after_three_others),
        TEST(a_retransmission_is_lost_too),
        TEST(reordering_is_learnt),
        TEST(silence_sends_two_frames),
        TEST(a_short_queue_has_a_short_timeout),
        TEST(a_slightly_lower_clock_is_no_timeout),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
