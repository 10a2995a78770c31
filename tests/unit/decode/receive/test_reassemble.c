/* Reassembly of frames: order, loss, repetition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decode/receive/reassemble.h"
#include "tests/unit/serial/delivered.h"

struct fixture {
    struct reassemble frames; /* for UDP, unless a test initialises it again */
    struct delivered delivered;
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    assert_non_null(f);
    reassemble_init(&f->frames, false, deliver, &f->delivered);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    reassemble_free(&f->frames);
    free(f);
    return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static bool take(struct fixture *f, uint32_t seq)
{
    uint8_t payload[4] = {(uint8_t)seq, 1, 2, 3};
    struct frame_header header = {
        .kind = FRAME_TRACE, .stream_id = STREAM, .seq = seq, .offset = 4ull * seq, .length = sizeof(payload)};
    return reassemble_take(&f->frames, &header, payload);
}

static void in_order_is_handed_on(void **state)
{
    struct fixture *f = *state;
    for (uint32_t i = 0; i < 10; i++)
        assert_true(take(f, i));
    assert_int_equal(f->delivered.count, 10);
    assert_int_equal(f->frames.counts.frames, 10);
}

static void reordered_is_put_in_order(void **state)
{
    static const uint32_t order[] = {3, 1, 0, 2, 7, 6, 5, 4};
    struct fixture *f = *state;
    for (size_t i = 0; i < 8; i++)
        take(f, order[i]);
    assert_int_equal(f->delivered.count, 8);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(f->delivered.seq[i], i);
}

static void acknowledgement_lists_missing_frames(void **state)
{
    struct fixture *f = *state;
    struct frame_header header, parsed;
    struct frame_ack ack;
    take(f, 0);
    take(f, 2);
    take(f, 66);
    take(f, 257);
    reassemble_ack(&f->frames, 0x1235, &header, &ack);
    uint8_t datagram[sizeof(header) + sizeof(ack)];
    memcpy(datagram, &header, sizeof(header));
    memcpy(datagram + sizeof(header), &ack, header.length);
    assert_int_equal(frame_parse(&parsed, datagram, sizeof(header) + header.length), FRAME_OK);
    assert_int_equal(parsed.kind, FRAME_ACK);
    assert_int_equal(parsed.seq, 1);
    assert_int_equal(parsed.stream_id, STREAM);
    assert_int_equal(parsed.flags, 0x1235);
    assert_int_equal(parsed.length, 4 * 8);
    assert_int_equal(ack.received[0], 1);
    assert_int_equal(ack.received[1], 1);
    assert_int_equal(ack.received[3], 1ull << 63);
    assert_int_equal(f->delivered.count, 1);
    take(f, 1025);
    reassemble_ack(&f->frames, 1, &header, &ack);
    assert_int_equal(header.length, 16 * 8);
    assert_int_equal(ack.received[15], 1ull << 63);
}

static void acknowledgement_without_a_loss_is_a_header(void **state)
{
    struct fixture *f = *state;
    struct frame_header header;
    struct frame_ack ack;
    take(f, 1);
    take(f, 0);
    reassemble_ack(&f->frames, 1, &header, &ack);
    assert_int_equal(header.seq, 2);
    assert_int_equal(header.length, 0);
}

static void duplicates_are_answered_and_dropped(void **state)
{
    struct fixture *f = *state;
    take(f, 0);
    assert_true(take(f, 0));
    take(f, 2);
    assert_true(take(f, 2));
    assert_int_equal(f->frames.counts.duplicates, 2);
    take(f, 1);
    assert_int_equal(f->delivered.count, 3);
}

static void frames_beyond_the_window_wait_for_a_resend(void **state)
{
    struct fixture *f = *state;
    take(f, REASSEMBLE_WINDOW + 1);
    assert_int_equal(f->frames.counts.beyond, 1);
    for (uint32_t i = REASSEMBLE_WINDOW; i > 0; i--)
        take(f, i);
    assert_int_equal(f->delivered.count, 0);
    take(f, 0);
    assert_int_equal(f->delivered.count, REASSEMBLE_WINDOW + 1);
}

static void another_stream_is_not_answered(void **state)
{
    struct fixture *f = *state;
    uint8_t payload[1] = {0};
    struct frame_header other = {.kind = FRAME_TRACE, .stream_id = STREAM + 1, .length = 1};
    struct frame_header ack = {.kind = FRAME_ACK, .stream_id = STREAM, .length = 1};
    take(f, 0);
    assert_false(reassemble_take(&f->frames, &other, payload));
    assert_false(reassemble_take(&f->frames, &ack, payload));
    assert_int_equal(f->frames.counts.foreign, 2);
}

static void numbers_wrap(void **state)
{
    struct fixture *f = *state;
    f->frames.in_order_only = true;
    take(f, UINT32_MAX - 1);
    f->frames.in_order_only = false;
    take(f, 1);
    take(f, 0);
    assert_int_equal(f->delivered.count, 1);
    take(f, UINT32_MAX);
    assert_int_equal(f->delivered.count, 4);
    assert_int_equal(f->delivered.seq[3], 1);
}

static void a_serial_line_goes_on_after_a_loss(void **state)
{
    struct fixture *f = *state;
    f->frames.in_order_only = true;
    take(f, 5);
    take(f, 9);
    assert_int_equal(f->delivered.count, 2);
    assert_int_equal(f->frames.counts.lost, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(in_order_is_handed_on),
        TEST(reordered_is_put_in_order),
        TEST(acknowledgement_lists_missing_frames),
        TEST(acknowledgement_without_a_loss_is_a_header),
        TEST(duplicates_are_answered_and_dropped),
        TEST(frames_beyond_the_window_wait_for_a_resend),
        TEST(another_stream_is_not_answered),
        TEST(numbers_wrap),
        TEST(a_serial_line_goes_on_after_a_loss),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
