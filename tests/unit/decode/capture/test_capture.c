/* A capture that is written and read back: whole, with a gap, truncated at any byte, with a damaged index. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "decode/capture/capture.h"
#include "serial/wire/frame.h"
#include "tests/unit/decode/capture/capture_fixture.h"

/* A hello, a page, a log line, 1000 trace bytes, an end. */
static void write_capture(struct capture_fixture *f)
{
    uint8_t trace[1000], page[sizeof(struct record_page) + RECORD_PAGE_SIZE] = {0};
    uint64_t offset = 0;
    struct store *store = store_create(f->capture, &f->error);
    assert_non_null(store);
    memset(trace, 0x5a, sizeof(trace));
    put_record(store, 0, &offset, RECORD_HELLO, 0, HELLO, sizeof(HELLO) - 1);
    put_record(store, 0, &offset, RECORD_PAGE, 17, page, sizeof(page));
    put_record(store, 0, &offset, RECORD_LOG, 17, "hi", 2);
    assert_true(store_trace(store, 0, 0, trace, 600));
    assert_true(store_trace(store, 0, 500, trace + 500, 500));
    put_record(store, 0, &offset, RECORD_END, 1000, "trace_bytes 1000\n", 17);
    assert_int_equal(store_totals(store)->trace_bytes, 1000);
    assert_true(store_totals(store)->ended);
    assert_true(store_close(store));
}

static void what_is_written_is_read(void **state)
{
    struct capture_fixture *f = *state;
    write_capture(f);
    struct capture *capture = capture_open(f->capture, &f->error);
    assert_non_null(capture);
    assert_int_equal(capture->nr_cpus, 1);
    assert_int_equal(capture->cpus[0].size, 1000);
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(capture->cpus[0].bytes[i], 0x5a);
    assert_int_equal(capture->nr_records, 4);
    assert_int_equal(capture->events_left_over, 0);
    assert_int_equal(capture->hello.size, sizeof(HELLO) - 1);
    uint64_t number;
    assert_true(text_find_number(&number, capture->ends[0], "trace_bytes"));
    assert_int_equal(number, 1000);
    size_t position = 0;
    const struct capture_record *page = capture_next(capture, &position, RECORD_PAGE, 0);
    assert_non_null(page);
    assert_int_equal(page->header.trace_offset, 17);
    assert_null(capture_next(capture, &position, RECORD_PAGE, 0));
    capture_close(capture);
}

static void meta_is_json(void **state)
{
    struct capture_fixture *f = *state;
    char path[128], text[512] = "";
    write_capture(f);
    capture_path(path, f, "meta.json");
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_true(fread(text, 1, sizeof(text) - 1, file) > 0);
    fclose(file);
    assert_string_equal(text, "{\n  \"capture_format\": 1,\n  \"cpu_family\": 6,\n  \"options\": \"a \\\"b\\\"\",\n"
                              "  \"end\": {\n    \"trace_bytes\": 1000\n  }\n}\n");
}

static void a_hole_becomes_pads_and_a_gap_record(void **state)
{
    struct capture_fixture *f = *state;
    uint8_t trace[100];
    memset(trace, 0x11, sizeof(trace));
    struct store *store = store_create(f->capture, &f->error);
    assert_non_null(store);
    assert_true(store_trace(store, 3, 0, trace, 100));
    store_lost_frames(store, 1, FRAME_MAX_PAYLOAD);
    assert_true(store_trace(store, 3, 5000, trace, 100));
    assert_true(store_close(store));

    struct capture *capture = capture_open(f->capture, &f->error);
    assert_non_null(capture);
    assert_int_equal(capture->nr_cpus, 4);
    assert_int_equal(capture->cpus[3].size, 5100);
    assert_int_equal(capture->cpus[3].bytes[99], 0x11);
    assert_int_equal(capture->cpus[3].bytes[100], 0);
    assert_int_equal(capture->cpus[3].bytes[4999], 0);
    assert_int_equal(capture->cpus[3].bytes[5000], 0x11);
    size_t position = 0;
    const struct capture_record *record = capture_next(capture, &position, RECORD_GAP, 3);
    assert_non_null(record);
    struct record_gap gap;
    memcpy(&gap, record->payload, sizeof(gap));
    assert_int_equal(gap.at, 100);
    assert_int_equal(gap.size, 4900);
    assert_int_equal(gap.cause, RECORD_GAP_WIRE);
    capture_close(capture);
}

/* The end record has a larger number of bytes. */
static void bytes_lost_at_the_end_are_a_gap(void **state)
{
    struct capture_fixture *f = *state;
    uint8_t trace[100] = {0};
    uint64_t offset = 0;
    struct store *store = store_create(f->capture, &f->error);
    assert_non_null(store);
    assert_true(store_trace(store, 0, 0, trace, 100));
    put_record(store, 0, &offset, RECORD_END, 130, "trace_bytes 130\n", 16);
    assert_int_equal(store_totals(store)->lost_trace_bytes, 30);
    assert_true(store_close(store));
    struct capture *capture = capture_open(f->capture, &f->error);
    assert_non_null(capture);
    assert_int_equal(capture->nr_records, 2);
    assert_int_equal(capture->records[0].header.kind, RECORD_GAP);
    assert_int_equal(capture->records[1].header.kind, RECORD_END);
    capture_close(capture);
}

static void a_capture_is_never_written_over(void **state)
{
    struct capture_fixture *f = *state;
    write_capture(f);
    assert_null(store_create(f->capture, &f->error));
}

/* A crash can leave the files with any length: whole records are read. */
static void cut_off_anywhere_it_is_readable(void **state)
{
    struct capture_fixture *f = *state;
    char events[128];
    struct stat status;
    write_capture(f);
    capture_path(events, f, "events.bin");
    assert_int_equal(stat(events, &status), 0);
    size_t records = 4;
    for (off_t size = status.st_size - 1; size >= 0; size -= size % 37 ? 1 : 36) {
        assert_int_equal(truncate(events, size), 0);
        struct capture *capture = capture_open(f->capture, &f->error);
        assert_non_null(capture);
        assert_true(capture->nr_records <= records);
        assert_true(capture->events_left_over < 24 + sizeof(struct record_page) + RECORD_PAGE_SIZE);
        records = capture->nr_records;
        capture_close(capture);
        if (size < 36)
            break;
    }
    assert_int_equal(records, 0);
}

static void the_index_is_not_needed(void **state)
{
    struct capture_fixture *f = *state;
    char index[128];
    write_capture(f);
    capture_path(index, f, "index");
    static const off_t sizes[] = {100, 64, 1, 0};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        assert_int_equal(truncate(index, sizes[i]), 0);
        struct capture *capture = capture_open(f->capture, &f->error);
        assert_non_null(capture);
        assert_int_equal(capture->nr_records, 4);
        capture_close(capture);
    }
    unlink(index);
    struct capture *capture = capture_open(f->capture, &f->error);
    assert_non_null(capture);
    assert_int_equal(capture->nr_records, 4);
    capture_close(capture);
}

static void what_is_no_capture_is_refused(void **state)
{
    struct capture_fixture *f = *state;
    assert_null(capture_open(f->capture, &f->error));
    assert_null(capture_open(f->directory, &f->error));
}

/* Replace meta.json by the text, without a checksum, and open the capture. */
static struct capture *opened_with_meta(struct capture_fixture *f, const char *text)
{
    char path[128];
    capture_path(path, f, "checksums");
    unlink(path);
    capture_path(path, f, "meta.json");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    f->error = (struct error){0};
    return capture_open(f->capture, &f->error);
}

static void a_later_format_is_refused(void **state)
{
    struct capture_fixture *f = *state;
    static const char *const known[] = {"", "{", "{\n  \"capture_format\": 1\n}\n", "{\n  \"capture_format\": 0,"};
    static const char *const later[] = {"{\n  \"capture_format\": 2,", "{\n  \"capture_format\": 11"};
    write_capture(f);
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        struct capture *capture = opened_with_meta(f, known[i]);
        assert_non_null(capture);
        capture_close(capture);
    }
    for (size_t i = 0; i < sizeof(later) / sizeof(later[0]); i++) {
        assert_null(opened_with_meta(f, later[i]));
        assert_int_equal(f->error.kind, ERROR_NEWER_FORMAT);
        assert_int_equal(f->error.number, i ? 11 : 2);
    }
}

/* A number that only damage has made is not a later format. */
static void a_damaged_format_is_no_later_one(void **state)
{
    struct capture_fixture *f = *state;
    char path[128];
    write_capture(f);
    capture_path(path, f, "meta.json");
    FILE *file = fopen(path, "r+");
    assert_non_null(file);
    assert_int_equal(fseek(file, sizeof("{\n  \"capture_format\": ") - 1, SEEK_SET), 0);
    fputc('3', file);
    fclose(file);
    struct capture *capture = capture_open(f->capture, &f->error);
    assert_non_null(capture);
    assert_true(damages_touch(&capture->damages, "meta.json", 0, 1));
    capture_close(capture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CAPTURE_TEST(what_is_written_is_read),
        CAPTURE_TEST(meta_is_json),
        CAPTURE_TEST(a_hole_becomes_pads_and_a_gap_record),
        CAPTURE_TEST(bytes_lost_at_the_end_are_a_gap),
        CAPTURE_TEST(a_capture_is_never_written_over),
        CAPTURE_TEST(cut_off_anywhere_it_is_readable),
        CAPTURE_TEST(the_index_is_not_needed),
        CAPTURE_TEST(what_is_no_capture_is_refused),
        CAPTURE_TEST(a_later_format_is_refused),
        CAPTURE_TEST(a_damaged_format_is_no_later_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
