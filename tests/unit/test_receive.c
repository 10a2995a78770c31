/* What the receiver does with frames: order, loss, repetition, garbage, and how records are cut out of their stream. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decode/capture/record_stream.h"
#include "decode/receive/reassemble.h"
#include "decode/receive/uart_stream.h"
#include "serial/crc32c.h"

#define STREAM 0x55aa1234u

/* What was delivered, as the sequence of first payload bytes. */
struct delivered {
    size_t count;
    uint32_t seq[2048];
};

static void deliver(void *context, const struct frame_header *header, const uint8_t *payload)
{
    struct delivered *d = context;
    assert_int_equal(payload[0], (uint8_t)header->seq);
    d->seq[d->count++] = header->seq;
}

static bool take(struct reassemble *r, uint32_t seq)
{
    uint8_t payload[4] = {(uint8_t)seq, 1, 2, 3};
    struct frame_header header = {
        .kind = FRAME_TRACE, .stream_id = STREAM, .seq = seq, .offset = 4ull * seq, .length = sizeof(payload)};
    return reassemble_take(r, &header, payload);
}

static void in_order_is_handed_on(void **state)
{
    struct delivered d = {0};
    static struct reassemble r;
    (void)state;
    reassemble_init(&r, false, deliver, &d);
    for (uint32_t i = 0; i < 10; i++)
        assert_true(take(&r, i));
    assert_int_equal(d.count, 10);
    assert_int_equal(r.counts.frames, 10);
    reassemble_free(&r);
}

static void reordered_is_put_in_order(void **state)
{
    static const uint32_t order[] = {3, 1, 0, 2, 7, 6, 5, 4};
    struct delivered d = {0};
    static struct reassemble r;
    (void)state;
    reassemble_init(&r, false, deliver, &d);
    for (size_t i = 0; i < 8; i++)
        take(&r, order[i]);
    assert_int_equal(d.count, 8);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(d.seq[i], i);
    reassemble_free(&r);
}

static void acknowledgement_tells_what_is_missing(void **state)
{
    struct delivered d = {0};
    static struct reassemble r;
    struct frame_header header, parsed;
    struct frame_ack ack;
    (void)state;
    reassemble_init(&r, false, deliver, &d);
    take(&r, 0);
    take(&r, 2);
    take(&r, 66);
    take(&r, 257);
    reassemble_ack(&r, &header, &ack);
    assert_int_equal(frame_header_parse(&parsed, (const uint8_t *)&header, sizeof(header)), FRAME_SHORT);
    assert_int_equal(parsed.kind, FRAME_ACK);
    assert_int_equal(parsed.seq, 1);
    assert_int_equal(parsed.stream_id, STREAM);
    assert_int_equal(ack.received[0], 1);
    assert_int_equal(ack.received[1], 1);
    assert_int_equal(ack.received[3], 1ull << 63);
    assert_int_equal(d.count, 1);
    reassemble_free(&r);
}

static void duplicates_are_answered_and_dropped(void **state)
{
    struct delivered d = {0};
    static struct reassemble r;
    (void)state;
    reassemble_init(&r, false, deliver, &d);
    take(&r, 0);
    assert_true(take(&r, 0));
    take(&r, 2);
    assert_true(take(&r, 2));
    assert_int_equal(r.counts.duplicates, 2);
    take(&r, 1);
    assert_int_equal(d.count, 3);
    reassemble_free(&r);
}

static void frames_beyond_the_window_wait_for_a_resend(void **state)
{
    struct delivered d = {0};
    static struct reassemble r;
    (void)state;
    reassemble_init(&r, false, deliver, &d);
    take(&r, REASSEMBLE_WINDOW + 1);
    assert_int_equal(r.counts.beyond, 1);
    for (uint32_t i = REASSEMBLE_WINDOW; i > 0; i--)
        take(&r, i);
    assert_int_equal(d.count, 0);
    take(&r, 0);
    assert_int_equal(d.count, REASSEMBLE_WINDOW + 1);
    reassemble_free(&r);
}

static void another_stream_is_not_answered(void **state)
{
    struct delivered d = {0};
    static struct reassemble r;
    uint8_t payload[1] = {0};
    struct frame_header other = {.kind = FRAME_TRACE, .stream_id = STREAM + 1, .length = 1};
    struct frame_header ack = {.kind = FRAME_ACK, .stream_id = STREAM, .length = 1};
    (void)state;
    reassemble_init(&r, false, deliver, &d);
    take(&r, 0);
    assert_false(reassemble_take(&r, &other, payload));
    assert_false(reassemble_take(&r, &ack, payload));
    assert_int_equal(r.counts.foreign, 2);
    reassemble_free(&r);
}

static void numbers_wrap(void **state)
{
    struct delivered d = {0};
    static struct reassemble r;
    (void)state;
    reassemble_init(&r, true, deliver, &d);
    take(&r, UINT32_MAX - 1);
    r.in_order_only = false;
    take(&r, 1);
    take(&r, 0);
    assert_int_equal(d.count, 1);
    take(&r, UINT32_MAX);
    assert_int_equal(d.count, 4);
    assert_int_equal(d.seq[3], 1);
    reassemble_free(&r);
}

static void a_serial_line_goes_on_after_a_loss(void **state)
{
    struct delivered d = {0};
    static struct reassemble r;
    (void)state;
    reassemble_init(&r, true, deliver, &d);
    take(&r, 5);
    take(&r, 9);
    assert_int_equal(d.count, 2);
    assert_int_equal(r.counts.lost, 3);
    reassemble_free(&r);
}

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
    uint8_t bytes[2048];
    size_t size = 0;
    (void)state;
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
        struct delivered d = {0};
        struct uart_stream *stream = calloc(1, sizeof(*stream));
        for (size_t at = 0; at < size; at += step)
            uart_stream_take(stream, bytes + at, step < size - at ? step : size - at, deliver, &d);
        assert_int_equal(d.count, 3);
        assert_int_equal(stream->garbage, 12);
        free(stream);
    }
}

static void a_damaged_serial_frame_costs_only_itself(void **state)
{
    uint8_t bytes[1024];
    size_t first = put_frame(bytes, 0, 64);
    size_t size = first + put_frame(bytes + first, 1, 64);
    (void)state;
    size += put_frame(bytes + size, 2, 64);
    for (size_t at = first; at < first + 100; at++) {
        struct delivered d = {0};
        struct uart_stream *stream = calloc(1, sizeof(*stream));
        bytes[at] ^= 0x20;
        uart_stream_take(stream, bytes, size, deliver, &d);
        assert_int_equal(d.count, 2);
        assert_int_equal(d.seq[1], 2);
        bytes[at] ^= 0x20;
        free(stream);
    }
}

/* Bytes that go missing inside of a frame make it swallow the start of the next: that one is found all the same. */
static void missing_bytes_cost_one_frame(void **state)
{
    uint8_t bytes[1024];
    size_t first = put_frame(bytes, 0, 64);
    size_t size = first + put_frame(bytes + first, 1, 64);
    struct delivered d = {0};
    struct uart_stream *stream = calloc(1, sizeof(*stream));
    (void)state;
    memmove(bytes + 50, bytes + 60, size - 60);
    uart_stream_take(stream, bytes, size - 10, deliver, &d);
    assert_int_equal(d.count, 1);
    assert_int_equal(d.seq[0], 1);
    assert_int_equal(stream->bad_frames, 1);
    free(stream);
}

/* Bytes went missing in the last frame but one, and nothing comes behind the last: that is a frame all the same. */
static void the_last_frame_is_found_at_the_end(void **state)
{
    uint8_t bytes[1024];
    size_t first = put_frame(bytes, 0, 200);
    size_t size = first + put_frame(bytes + first, 1, 20);
    struct delivered d = {0};
    struct uart_stream *stream = calloc(1, sizeof(*stream));
    (void)state;
    memmove(bytes + 50, bytes + 150, size - 150);
    uart_stream_take(stream, bytes, size - 100, deliver, &d);
    assert_int_equal(d.count, 0);
    uart_stream_end(stream, deliver, &d);
    assert_int_equal(d.count, 1);
    assert_int_equal(d.seq[0], 1);
    assert_int_equal(stream->garbage, first - 100);
    assert_int_equal(stream->used, 0);
    free(stream);
}

struct records {
    size_t count;
    uint64_t tsc[16];
};

static void take_record(void *context, const struct record_header *header, const uint8_t *bytes, size_t size)
{
    struct records *r = context;
    assert_memory_equal(header, bytes, sizeof(*header));
    assert_int_equal(size % 8, 0);
    r->tsc[r->count++] = header->tsc;
}

/* A record stream of five log lines of different lengths. Returns its size. */
static size_t put_records(uint8_t *out)
{
    size_t size = 0;
    for (uint32_t i = 0; i < 5; i++) {
        struct record_header header = {.kind = RECORD_LOG, .cpu = 2, .length = 3 + 5 * i, .tsc = 100 + i};
        memset(out + size, 0, record_size_bytes(&header));
        memcpy(out + size, &header, sizeof(header));
        memset(out + size + sizeof(header), 'a', header.length);
        size += record_size_bytes(&header);
    }
    return size;
}

static void records_are_cut_out_of_their_stream(void **state)
{
    uint8_t bytes[512];
    size_t size = put_records(bytes);
    (void)state;
    for (size_t step = 1; step < size; step += 3) {
        struct records r = {0};
        struct record_stream stream;
        record_stream_init(&stream, 2);
        for (size_t at = 0; at < size; at += step)
            assert_true(
                record_stream_take(&stream, at, bytes + at, step < size - at ? step : size - at, take_record, &r));
        assert_int_equal(r.count, 5);
        assert_int_equal(stream.lost, 0);
        record_stream_free(&stream);
    }
}

static void records_behind_a_hole_are_found_again(void **state)
{
    uint8_t bytes[512];
    size_t size = put_records(bytes);
    struct records r = {0};
    struct record_stream stream;
    (void)state;
    record_stream_init(&stream, 2);
    record_stream_take(&stream, 0, bytes, 40, take_record, &r);
    record_stream_take(&stream, 60, bytes + 60, size - 60, take_record, &r);
    /* The first is whole, the second lost, the third cut in its header. */
    assert_int_equal(r.tsc[0], 100);
    assert_int_equal(r.tsc[r.count - 1], 104);
    assert_true(r.count >= 3 && r.count < 5);
    assert_true(stream.lost > 0);
    record_stream_free(&stream);
}

/* A later version's record is kept; something that cannot be a record is passed over. */
static void unknown_kinds_are_kept_and_nonsense_is_not(void **state)
{
    uint8_t bytes[512];
    size_t size = put_records(bytes);
    struct record_header strange = {.kind = 77, .cpu = 2, .length = 16, .tsc = 9};
    struct records r = {0};
    struct record_stream stream;
    (void)state;
    memcpy(bytes + size, &strange, sizeof(strange));
    size += record_size_bytes(&strange);
    strange.length = UINT32_MAX;
    memcpy(bytes + size, &strange, sizeof(strange));
    size += sizeof(strange);
    size += put_records(bytes + size);
    record_stream_init(&stream, 2);
    record_stream_take(&stream, 0, bytes, size, take_record, &r);
    assert_int_equal(r.count, 11);
    assert_int_equal(r.tsc[5], 9);
    assert_int_equal(r.tsc[6], 100);
    assert_int_equal(stream.lost, sizeof(strange));
    record_stream_free(&stream);
}

static void repeated_record_bytes_are_left_out(void **state)
{
    uint8_t bytes[512];
    size_t size = put_records(bytes);
    struct records r = {0};
    struct record_stream stream;
    (void)state;
    record_stream_init(&stream, 2);
    record_stream_take(&stream, 0, bytes, 50, take_record, &r);
    record_stream_take(&stream, 10, bytes + 10, size - 10, take_record, &r);
    record_stream_take(&stream, 0, bytes, size, take_record, &r);
    assert_int_equal(r.count, 5);
    record_stream_free(&stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_order_is_handed_on),
        cmocka_unit_test(reordered_is_put_in_order),
        cmocka_unit_test(acknowledgement_tells_what_is_missing),
        cmocka_unit_test(duplicates_are_answered_and_dropped),
        cmocka_unit_test(frames_beyond_the_window_wait_for_a_resend),
        cmocka_unit_test(another_stream_is_not_answered),
        cmocka_unit_test(numbers_wrap),
        cmocka_unit_test(a_serial_line_goes_on_after_a_loss),
        cmocka_unit_test(serial_frames_are_found_among_garbage),
        cmocka_unit_test(a_damaged_serial_frame_costs_only_itself),
        cmocka_unit_test(missing_bytes_cost_one_frame),
        cmocka_unit_test(the_last_frame_is_found_at_the_end),
        cmocka_unit_test(records_are_cut_out_of_their_stream),
        cmocka_unit_test(records_behind_a_hole_are_found_again),
        cmocka_unit_test(unknown_kinds_are_kept_and_nonsense_is_not),
        cmocka_unit_test(repeated_record_bytes_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
