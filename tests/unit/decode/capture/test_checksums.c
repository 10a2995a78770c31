/*
 * Checksums: each changed bit of each file of a capture is reported, a truncated file is distinguished from a damaged
 * one, and captures without checksums can be read.
 */
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

#include "decode/capture/capture_check.h"
#include "decode/capture/gaps.h"
#include "serial/wire/crc32c.h"
#include "serial/wire/frame.h"
#include "tests/unit/decode/capture/capture_fixture.h"

#define HOLE_FROM 1000u
#define HOLE_END 9000u

static const char *const files[] = {"cpu0.pt", "cpu1.pt", "events.bin", "index", "meta.json", "checksums"};
#define NR_FILES (sizeof(files) / sizeof(files[0]))

/* Two CPUs, one with a hole in its trace, flushed in between like by a receiver. */
static void write_capture(struct capture_fixture *f)
{
    uint8_t trace[1000], page[sizeof(struct record_page) + RECORD_PAGE_SIZE];
    uint64_t offset = 0, other = 0;
    struct store *store = store_create(f->capture, &f->error);
    assert_non_null(store);
    for (size_t i = 0; i < sizeof(page); i++)
        page[i] = (uint8_t)(i * 7);
    memset(trace, 0x5a, sizeof(trace));
    put_record(store, 0, &offset, RECORD_HELLO, 0, "nr_cpus 2\n", 10);
    assert_true(store_trace(store, 0, 0, trace, 1000));
    assert_true(store_flush(store));
    put_record(store, 0, &offset, RECORD_PAGE, 17, page, sizeof(page));
    put_record(store, 1, &other, RECORD_LOG, 17, "hi", 2);
    store_lost_frames(store, 1, FRAME_MAX_PAYLOAD);
    assert_true(store_trace(store, 0, HOLE_END, trace, 1000));
    assert_true(store_trace(store, 1, 0, trace, 600));
    assert_true(store_flush(store));
    put_record(store, 0, &offset, RECORD_END, 10000, "trace_bytes 10000\n", 18);
    put_record(store, 1, &other, RECORD_END, 600, "trace_bytes 600\n", 16);
    assert_true(store_close(store));
}

static struct capture *open_checked(struct capture_fixture *f)
{
    struct capture *capture = capture_open(f->capture, &f->error);
    assert_non_null(capture);
    for (unsigned cpu = 0; cpu < capture->nr_cpus; cpu++)
        capture_check_trace(capture, cpu, 0, UINT64_MAX);
    return capture;
}

/* The damages, and the first one. */
static size_t damages(struct capture_fixture *f, struct damage *first)
{
    struct capture *capture = open_checked(f);
    size_t count = capture->damages.count;
    *first = capture->damages.items[0];
    capture_close(capture);
    return count;
}

static void flip(const char *path, off_t byte, unsigned bit)
{
    FILE *file = fopen(path, "r+");
    assert_non_null(file);
    fseek(file, byte, SEEK_SET);
    int c = fgetc(file);
    fseek(file, byte, SEEK_SET);
    fputc(c ^ 1 << bit, file);
    fclose(file);
}

static off_t size_of(const char *path)
{
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    return status.st_size;
}

static void the_instruction_and_the_table_agree(void **state)
{
    uint8_t bytes[300];
    (void)state;
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (uint8_t)(i * 31);
    for (size_t size = 0; size < sizeof(bytes); size++)
        assert_int_equal(checksum_of(bytes, size), crc32c(bytes, size));
}

static void a_good_capture_has_no_damage(void **state)
{
    struct capture_fixture *f = *state;
    write_capture(f);
    struct capture *capture = open_checked(f);
    assert_true(capture->checksums.present);
    assert_int_equal(capture->damages.count, 0);
    assert_int_equal(capture->unsummed.count, 0);
    assert_int_equal(capture->nr_records, 6);
    capture_close(capture);
}

/* The damage has the file, and the offset of the block with the byte. */
static void each_flipped_bit_is_said(void **state)
{
    struct capture_fixture *f = *state;
    char path[128];
    write_capture(f);
    for (size_t i = 0; i < NR_FILES; i++) {
        off_t size = size_of(capture_path(path, f, files[i]));
        off_t step = size > 2000 ? 41 : size > 300 ? 3 : 1;
        for (off_t byte = 0; byte < size; byte += step) {
            struct damage first;
            unsigned bit = (unsigned)(byte / step) % 8;
            flip(path, byte, bit);
            assert_int_equal(damages(f, &first) > 0, 1);
            assert_string_equal(first.file, files[i]);
            assert_in_range((uint64_t)byte, first.offset, first.offset + first.size - 1);
            flip(path, byte, bit);
        }
    }
    struct damage first;
    assert_int_equal(damages(f, &first), 0);
}

/* After a crash or a full disk the missing bytes are reported, and nothing else counts as damaged. */
static void a_truncated_file_is_not_damaged(void **state)
{
    struct capture_fixture *f = *state;
    char path[128];
    for (size_t i = 0; i < NR_FILES - 1; i++) {
        write_capture(f);
        off_t size = size_of(capture_path(path, f, files[i]));
        for (off_t left = size - 1; left >= 0; left -= left > 100 ? 97 : 1) {
            assert_int_equal(truncate(path, left), 0);
            struct capture *capture = open_checked(f);
            bool cut = false;
            for (size_t n = 0; n < capture->damages.count; n++) {
                const struct damage *damage = &capture->damages.items[n];
                assert_string_equal(damage->file, files[i]);
                assert_int_not_equal(damage->kind, DAMAGE_BYTES);
                cut = cut || (damage->kind == DAMAGE_CUT && damage->offset == (uint64_t)left &&
                              damage->size == (uint64_t)(size - left));
            }
            assert_true(cut);
            capture_close(capture);
        }
        unlink(path);
        struct damage first;
        if (strcmp(files[i], "events.bin") != 0)
            assert_int_equal(damages(f, &first), 1);
        assert_int_equal(capture_teardown(state), 0);
        assert_int_equal(capture_setup(state), 0);
        f = *state;
    }
}

/* If the receiver was killed, the newest bytes may have no checksum: that is no damage. */
static void the_newest_bytes_may_have_no_checksum(void **state)
{
    struct capture_fixture *f = *state;
    char path[128];
    write_capture(f);
    off_t size = size_of(capture_path(path, f, "checksums"));
    for (off_t left = size - 1; left >= 0; left -= left > 64 ? 31 : 1) {
        assert_int_equal(truncate(path, left), 0);
        struct capture *capture = open_checked(f);
        for (size_t i = 0; i < capture->damages.count; i++)
            assert_string_equal(capture->damages.items[i].file, "meta.json");
        assert_true(capture->unsummed.count > 0 || size - left < (off_t)sizeof(struct checksum_entry));
        capture_close(capture);
    }
}

static void a_capture_of_before_is_read(void **state)
{
    struct capture_fixture *f = *state;
    char path[128];
    struct damage first;
    write_capture(f);
    unlink(capture_path(path, f, "checksums"));
    struct capture *capture = open_checked(f);
    assert_false(capture->checksums.present);
    assert_int_equal(capture->damages.count, 0);
    assert_int_equal(capture->nr_records, 6);
    capture_close(capture);
    /* A difference between the index and events.bin is found without checksums, too. */
    off_t size = size_of(capture_path(path, f, "index"));
    for (off_t byte = 0; byte < size; byte++) {
        flip(path, byte, (unsigned)byte % 8);
        assert_int_equal(damages(f, &first), 1);
        assert_string_equal(first.file, "index");
        assert_int_equal(first.offset, byte / 32 * 32);
        flip(path, byte, (unsigned)byte % 8);
    }
}

/* How many records are found after a bit of a header in events.bin was flipped. */
static size_t records_with(struct capture_fixture *f, const char *events, off_t byte, unsigned bit)
{
    flip(events, byte, bit);
    struct capture *capture = open_checked(f);
    size_t records = capture->nr_records;
    assert_true(capture->damages.count > 0);
    capture_close(capture);
    flip(events, byte, bit);
    return records;
}

/* Damage the lengths of records in events.bin, of a text and of a page: the index has them, too. */
static void records_after_a_damaged_header_are_found(void **state)
{
    static const off_t headers[] = {0, 40};
    struct capture_fixture *f = *state;
    char events[128], index[128], sums[128];
    write_capture(f);
    capture_path(events, f, "events.bin");
    capture_path(index, f, "index");
    for (unsigned round = 0; round < 2; round++) {
        for (size_t i = 0; i < 2; i++)
            for (off_t bit = 0; bit < 32; bit++)
                assert_int_equal(records_with(f, events, headers[i] + 4 + bit / 8, (unsigned)bit % 8), 6);
        /* Damage both: that record is lost, the later ones are not. */
        flip(index, 32 + 8 + 5, 3);
        assert_int_equal(records_with(f, events, 40 + 5, 4), 5);
        flip(index, 32 + 8 + 5, 3);
        unlink(capture_path(sums, f, "checksums"));
    }
}

/* The other fields of a header come from the index if the checksums show damage in events.bin. */
static void the_undamaged_header_counts(void **state)
{
    struct capture_fixture *f = *state;
    char events[128];
    write_capture(f);
    flip(capture_path(events, f, "events.bin"), 40 + 8, 2);
    struct capture *capture = open_checked(f);
    assert_int_equal(capture->records[1].header.trace_offset, 17);
    capture_close(capture);
}

/* During the reception the written bytes have their checksums, and meta.json is replaced after its checksum. */
static void a_growing_capture_has_no_damage(void **state)
{
    struct capture_fixture *f = *state;
    uint64_t offset = 0;
    uint8_t trace[300] = {1};
    struct damage first;
    struct store *store = store_create(f->capture, &f->error);
    assert_non_null(store);
    for (unsigned i = 0; i < 50; i++) {
        char text[32];
        int size = snprintf(text, sizeof(text), "cpu_family %u\n", i); /* meta.json changes each time */
        put_record(store, 0, &offset, i % 10 == 0 ? RECORD_HELLO : RECORD_LOG, i, text, (uint32_t)size);
        assert_true(store_trace(store, 0, sizeof(trace) * i, trace, sizeof(trace)));
        if (i % 3 == 0)
            assert_true(store_flush(store));
        assert_int_equal(damages(f, &first), 0);
    }
    assert_true(store_close(store));
    assert_int_equal(damages(f, &first), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_instruction_and_the_table_agree),
        CAPTURE_TEST(a_good_capture_has_no_damage),
        CAPTURE_TEST(each_flipped_bit_is_said),
        CAPTURE_TEST(a_truncated_file_is_not_damaged),
        CAPTURE_TEST(the_newest_bytes_may_have_no_checksum),
        CAPTURE_TEST(a_capture_of_before_is_read),
        CAPTURE_TEST(records_after_a_damaged_header_are_found),
        CAPTURE_TEST(the_undamaged_header_counts),
        CAPTURE_TEST(a_growing_capture_has_no_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
