/* Splitting a stream into records: in pieces, after holes, between garbage. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decode/capture/record_stream.h"

struct records {
    size_t count;
    uint64_t tsc[16];
};

struct fixture {
    uint8_t bytes[512]; /* five records, from put_records */
    size_t size;
    struct record_stream stream; /* of CPU 2 */
    struct records records;
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

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    assert_non_null(f);
    f->size = put_records(f->bytes);
    record_stream_init(&f->stream, 2);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    record_stream_free(&f->stream);
    free(f);
    return 0;
}

/* Take a part of f->bytes, from offset on. */
static void take(struct fixture *f, size_t offset, size_t size)
{
    assert_true(record_stream_take(&f->stream, offset, f->bytes + offset, size, take_record, &f->records));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static void records_are_cut_out_of_their_stream(void **state)
{
    struct fixture *f = *state;
    for (size_t step = 1; step < f->size; step += 3) {
        record_stream_free(&f->stream);
        record_stream_init(&f->stream, 2);
        f->records.count = 0;
        for (size_t at = 0; at < f->size; at += step)
            take(f, at, step < f->size - at ? step : f->size - at);
        assert_int_equal(f->records.count, 5);
        assert_int_equal(f->stream.lost, 0);
    }
}

static void records_after_a_hole_are_found_again(void **state)
{
    struct fixture *f = *state;
    take(f, 0, 40);
    take(f, 60, f->size - 60);
    /* The first record is whole, the second lost, the third truncated in its header. */
    assert_int_equal(f->records.tsc[0], 100);
    assert_int_equal(f->records.tsc[f->records.count - 1], 104);
    assert_true(f->records.count >= 3 && f->records.count < 5);
    assert_true(f->stream.lost > 0);
}

/* A record of a later version is kept; bytes that cannot be a record are skipped. */
static void unknown_kinds_are_kept_and_nonsense_is_not(void **state)
{
    struct fixture *f = *state;
    struct record_header strange = {.kind = 77, .cpu = 2, .length = 16, .tsc = 9};
    memcpy(f->bytes + f->size, &strange, sizeof(strange));
    f->size += record_size_bytes(&strange);
    strange.length = UINT32_MAX;
    memcpy(f->bytes + f->size, &strange, sizeof(strange));
    f->size += sizeof(strange);
    f->size += put_records(f->bytes + f->size);
    assert_true(f->size <= sizeof(f->bytes));
    take(f, 0, f->size);
    assert_int_equal(f->records.count, 11);
    assert_int_equal(f->records.tsc[5], 9);
    assert_int_equal(f->records.tsc[6], 100);
    assert_int_equal(f->stream.lost, sizeof(strange));
}

static void repeated_record_bytes_are_left_out(void **state)
{
    struct fixture *f = *state;
    take(f, 0, 50);
    take(f, 10, f->size - 10);
    take(f, 0, f->size);
    assert_int_equal(f->records.count, 5);
}

/* Kinds with a fixed layout have one length. An unknown kind can have any, and is not accepted after a hole. */
static void kinds_have_lengths(void **state)
{
    struct record_header header = {.kind = RECORD_TASK, .cpu = 2, .length = sizeof(struct record_task)};
    (void)state;
    assert_true(record_possible(&header) && record_plausible(&header, 2));
    header.length += 8;
    assert_false(record_possible(&header));
    header.kind = RECORD_CLOCK + 1;
    assert_true(record_possible(&header));
    assert_false(record_plausible(&header, 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(records_are_cut_out_of_their_stream),
        TEST(records_after_a_hole_are_found_again),
        TEST(unknown_kinds_are_kept_and_nonsense_is_not),
        TEST(repeated_record_bytes_are_left_out),
        TEST(kinds_have_lengths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
