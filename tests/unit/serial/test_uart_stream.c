/* Frames found in the bytes of a serial line: among garbage, damaged, cut short, at the end. */
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

/* Once more from the start. */
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

/* In pieces of every size, since a UART knows no boundaries. */
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

/* Bytes that go missing inside of a frame make it swallow the start of the next: that one is found all the same. */
static void missing_bytes_cost_one_frame(void **state)
{
    struct fixture *f = *state;
    uint8_t bytes[1024];
    size_t first = put_frame(bytes, 0, 64);
    size_t size = first + put_frame(bytes + first, 1, 64);
    memmove(bytes + 50, bytes + 60, size - 60);
    uart_stream_take(&f->stream, bytes, size - 10, deliver, &f->delivered);
    assert_int_equal(f->delivered.count, 1);
    assert_int_equal(f->delivered.seq[0], 1);
    assert_int_equal(f->stream.bad_frames, 1);
}

/* Bytes went missing in the last frame but one, and nothing comes behind the last: that is a frame all the same. */
static void the_last_frame_is_found_at_the_end(void **state)
{
    struct fixture *f = *state;
    uint8_t bytes[1024];
    size_t first = put_frame(bytes, 0, 200);
    size_t size = first + put_frame(bytes + first, 1, 20);
    memmove(bytes + 50, bytes + 150, size - 150);
    uart_stream_take(&f->stream, bytes, size - 100, deliver, &f->delivered);
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
