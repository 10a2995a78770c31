/* Finding frames in the bytes of a serial line: with garbage, damage, truncation, and at the end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decode/receive/uart_stream.h"
#include "serial/wire/crc32c.h"
#include "tests/unit/serial/delivered.h"

struct fixture {
    struct uart_stream stream;
    struct delivered delivered;
};

static int setup(void **state)
{
    *state = calloc(1, sizeof(struct fixture));
    return *state ? 0 : -1;
}

static int teardown(void **state)
{
    free(*state);
    return 0;
}

/* Start again. */
static void begin(struct fixture *f)
{
    memset(f, 0, sizeof(*f));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static size_t put_frame(uint8_t *out, uint32_t seq, uint16_t length)
{
    struct frame_header header = {.kind = FRAME_TRACE, .stream_id = STREAM, .seq = seq, .length = length};
    frame_header_seal(&header);
    memcpy(out, &header, sizeof(header));
    for (uint16_t i = 0; i < length; i++)
        out[sizeof(header) + i] = (uint8_t)(seq + i);
    uint32_t crc = crc32c(out + sizeof(header), length);
    memcpy(out + sizeof(header) + length, &crc, 4);
    return sizeof(header) + length + 4u;
}

/* Two frames arrive with these payload sizes, the first one without lost bytes from its 50th on. Returns the size of
 * the first frame when it was complete. */
static size_t take_two_frames(struct fixture *f, uint16_t length0, uint16_t length1, size_t lost)
{
    uint8_t bytes[1024];
    const size_t first = put_frame(bytes, 0, length0);
    const size_t size = first + put_frame(bytes + first, 1, length1);
    memmove(bytes + 50, bytes + 50 + lost, size - 50 - lost);
    uart_stream_take(&f->stream, bytes, size - lost, deliver, &f->delivered);
    return first;
}

/* Bytes arrive in pieces of any size. */
static void serial_frames_are_found_among_garbage(void **state)
{
    struct fixture *f = *state;
    uint8_t bytes[2048];
    size_t size = 0;
    memcpy(bytes,
           "UUUTF\x1a"
           "noise",
           11);
    size = 11;
    size += put_frame(bytes + size, 0, 100);
    size += put_frame(bytes + size, 1, 7);
    bytes[size++] = 'U';
    size += put_frame(bytes + size, 2, 300);
    for (size_t step = 1; step < 500; step += 7) {
        begin(f);
        for (size_t at = 0; at < size; at += step)
            uart_stream_take(&f->stream, bytes + at, step < size - at ? step : size - at, deliver, &f->delivered);
        assert_int_equal(f->delivered.count, 3);
        assert_int_equal(f->stream.garbage, 12);
    }
}

static void a_damaged_serial_frame_costs_only_itself(void **state)
{
    struct fixture *f = *state;
    uint8_t bytes[1024];
    size_t first = put_frame(bytes, 0, 64);
    size_t size = first + put_frame(bytes + first, 1, 64);
    size += put_frame(bytes + size, 2, 64);
    for (size_t at = first; at < first + 100; at++) {
        begin(f);
        bytes[at] ^= 0x20;
        uart_stream_take(&f->stream, bytes, size, deliver, &f->delivered);
        assert_int_equal(f->delivered.count, 2);
        assert_int_equal(f->delivered.seq[1], 2);
        bytes[at] ^= 0x20;
    }
}

/* If bytes are lost inside a frame, its payload seems to include the start of the next one, which is found
 * nevertheless. */
static void missing_bytes_cost_one_frame(void **state)
{
    struct fixture *f = *state;
    (void)take_two_frames(f, 64, 64, 10);
    assert_int_equal(f->delivered.count, 1);
    assert_int_equal(f->delivered.seq[0], 1);
    assert_int_equal(f->stream.bad_frames, 1);
}

/* Bytes were lost in the second last frame, and no byte follows the last one, which is found nevertheless. */
static void the_last_frame_is_found_at_the_end(void **state)
{
    struct fixture *f = *state;
    const size_t first = take_two_frames(f, 200, 20, 100);
    assert_int_equal(f->delivered.count, 0);
    uart_stream_end(&f->stream, deliver, &f->delivered);
    assert_int_equal(f->delivered.count, 1);
    assert_int_equal(f->delivered.seq[0], 1);
    assert_int_equal(f->stream.garbage, first - 100);
    assert_int_equal(f->stream.used, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(serial_frames_are_found_among_garbage),
        TEST(a_damaged_serial_frame_costs_only_itself),
        TEST(missing_bytes_cost_one_frame),
        TEST(the_last_frame_is_found_at_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
