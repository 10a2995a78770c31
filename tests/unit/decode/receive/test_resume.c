/* A store that continues where another one has ended, at any byte after its last commit. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <errno.h>
#include <fcntl.h>

#include <cmocka.h>

#include "decode/capture/capture.h"
#include "decode/receive/store_resume.h"
#include "serial/wire/frame.h"
#include "tests/unit/decode/capture/capture_fixture.h"

#define RECORD_BYTES 3000u

static const struct resume_point point = {.started = true, .stream_id = 7, .next_seq = 5, .frames = 5, .source = 9};
static uint8_t trace[20000];

static uint8_t *log_record(uint8_t fill)
{
    static uint8_t bytes[RECORD_BYTES];
    const struct record_header header = {.kind = RECORD_LOG, .length = RECORD_BYTES - sizeof(header)};
    memset(bytes, fill, sizeof(bytes));
    memcpy(bytes, &header, sizeof(header));
    return bytes;
}

static void end_of(struct store *store, uint64_t offset, unsigned trace_bytes)
{
    struct {
        struct record_header header;
        char text[24];
    } end = {.header = {.kind = RECORD_END, .length = 24}};
    snprintf(end.text, sizeof(end.text), "trace_bytes %u\n", trace_bytes);
    assert_true(store_records(store, 0, offset, (const uint8_t *)&end, sizeof(end)));
}

static struct store *resumed(struct capture_fixture *f)
{
    struct resume_point found;
    assert_true(store_is_unfinished(f->capture));
    struct store *store = store_resume(f->capture, &found, &f->error);
    assert_non_null(store);
    assert_int_equal(found.stream_id, point.stream_id);
    assert_int_equal(found.next_seq, point.next_seq);
    assert_int_equal(found.source, point.source);
    return store;
}

static void check_capture(const struct capture_fixture *f, uint64_t nr_records)
{
    struct error error = {0};
    struct capture *capture = capture_open(f->capture, &error);
    assert_non_null(capture);
    assert_int_equal(capture->nr_records, nr_records);
    assert_int_equal(capture->damages.count, 0);
    assert_int_equal(capture->cpus[0].size, 9000);
    assert_memory_equal(capture->cpus[0].bytes, trace, 9000);
    capture_close(capture);
}

/* What came after the commit, as far as it is in the files, comes again. Half of a record is committed. */
static void what_was_not_committed_comes_again(void **state)
{
    struct capture_fixture *f = *state;
    struct store *store = store_create(f->capture, &f->error);
    for (unsigned i = 0; i < sizeof(trace); i++)
        trace[i] = (uint8_t)(i * 7 + i / 256);
    assert_true(store_records(store, 0, 0, log_record('a'), RECORD_BYTES));
    assert_true(store_records(store, 0, RECORD_BYTES, log_record('b'), 1000));
    assert_true(store_trace(store, 0, 0, trace, 5000));
    assert_true(store_commit(store, &point));
    assert_true(store_records(store, 0, RECORD_BYTES + 1000, log_record('b') + 1000, RECORD_BYTES - 1000));
    assert_true(store_trace(store, 0, 5000, trace + 5000, 3000));
    assert_true(store_trace(store, 1, 0, trace, 100));
    assert_true(store_flush(store));
    store_abandon(store);

    store = resumed(f);
    assert_int_equal(store_totals(store)->trace_bytes, 5000);
    assert_int_equal(store_totals(store)->records, 1);
    assert_int_equal(store_totals(store)->record_bytes, RECORD_BYTES + 1000);
    assert_true(store_records(store, 0, RECORD_BYTES + 1000, log_record('b') + 1000, RECORD_BYTES - 1000));
    assert_true(store_trace(store, 0, 5000, trace + 5000, 4000));
    assert_true(store_commit(store, &point));
    store_abandon(store);

    store = resumed(f);
    end_of(store, 2 * RECORD_BYTES, 9000);
    assert_true(store_totals(store)->ended);
    assert_int_equal(store_totals(store)->gaps, 0);
    assert_true(store_close(store));
    assert_false(store_is_unfinished(f->capture));
    check_capture(f, 3);
}

/* A gap that was announced before the commit explains a hole after it, and only that one. */
static void announced_gaps_are_recalled(void **state)
{
    struct capture_fixture *f = *state;
    struct store *store = store_create(f->capture, &f->error);
    const struct {
        struct record_header header;
        struct record_gap gap;
    } ring = {.header = {.kind = RECORD_GAP, .length = sizeof(ring.gap), .trace_offset = 1000},
              .gap = {.at = 1000, .size = 500, .cause = RECORD_GAP_RING}};
    assert_true(store_trace(store, 0, 0, trace, 1000));
    assert_true(store_records(store, 0, 0, (const uint8_t *)&ring, sizeof(ring)));
    assert_true(store_commit(store, &point));
    store_abandon(store);
    store = resumed(f);
    assert_true(store_trace(store, 0, 1500, trace, 100));
    assert_int_equal(store_totals(store)->trace_bytes, 1100);
    assert_true(store_commit(store, &point));
    store_abandon(store);
    store = resumed(f);
    assert_int_equal(store_totals(store)->trace_bytes, 1100);
    store_lost_frames(store, 1, FRAME_MAX_PAYLOAD); /* a serial line, meanwhile */
    assert_true(store_trace(store, 0, 1800, trace, 100));
    assert_int_equal(store_totals(store)->gaps, 2);
    assert_int_equal(store_totals(store)->lost_trace_bytes, 200);
    end_of(store, sizeof(ring), 1900);
    assert_true(store_close(store));
}

static void nothing_was_committed(void **state)
{
    struct capture_fixture *f = *state;
    struct resume_point found;
    struct store *store = store_create(f->capture, &f->error);
    assert_true(store_trace(store, 3, 0, trace, 1000));
    assert_true(store_flush(store));
    store_abandon(store);
    store = store_resume(f->capture, &found, &f->error);
    assert_non_null(store);
    assert_false(found.started);
    assert_int_equal(store_totals(store)->trace_bytes, 0);
    assert_true(store_trace(store, 0, 0, trace, 1000));
    store_discard(store);
    assert_int_equal(rmdir(f->capture), 0); /* nothing is left */
}

/* A process's limit acts as a full disk. The third attempt finds room. */
static bool make_room(void *context, int reason)
{
    unsigned *attempts = context;
    const struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
    assert_int_equal(reason, EFBIG);
    return ++*attempts < 3 || setrlimit(RLIMIT_FSIZE, &limit) == 0;
}

static bool give_up(void *context, int reason)
{
    (void)context, (void)reason;
    return false;
}

static void a_full_disk_is_waited_for(void **state)
{
    struct capture_fixture *f = *state;
    const struct rlimit few = {5000, RLIM_INFINITY};
    unsigned attempts = 0;
    struct store *store = store_create(f->capture, &f->error);
    signal(SIGXFSZ, SIG_IGN);
    store_on_full(store, make_room, &attempts);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &few), 0);
    assert_true(store_trace(store, 0, 0, trace, 9000));
    assert_true(store_commit(store, &point));
    assert_int_equal(attempts, 3);
    store_abandon(store);
    store = resumed(f);
    end_of(store, 0, 9000);
    assert_true(store_close(store));
    check_capture(f, 1);
}

/* Ended by the user meanwhile, or without such an option: what was committed before is not touched. */
static void a_full_disk_loses_nothing(void **state)
{
    struct capture_fixture *f = *state;
    const struct rlimit few = {5000, RLIM_INFINITY}, all = {RLIM_INFINITY, RLIM_INFINITY};
    struct store *store = store_create(f->capture, &f->error);
    signal(SIGXFSZ, SIG_IGN);
    store_on_full(store, give_up, NULL);
    assert_true(store_trace(store, 0, 0, trace, 4000));
    assert_true(store_commit(store, &point));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &few), 0);
    assert_true(store_trace(store, 0, 4000, trace + 4000, 5000));
    assert_false(store_commit(store, &point));
    assert_int_equal(store_error(store)->kind, ERROR_CANNOT_WRITE_AT);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &all), 0);
    assert_false(store_close(store));
    store = resumed(f);
    assert_true(store_trace(store, 0, 4000, trace + 4000, 5000));
    end_of(store, 0, 9000);
    assert_true(store_close(store));
    check_capture(f, 1);
}

static void what_cannot_be_resumed(void **state)
{
    struct capture_fixture *f = *state;
    struct resume_point found;
    char path[128];
    struct store *store = store_create(f->capture, &f->error);
    assert_true(store_trace(store, 0, 0, trace, 1000));
    assert_true(store_commit(store, &point));
    assert_null(store_resume(f->capture, &found, &f->error));
    assert_int_equal(f->error.kind, ERROR_IN_USE);
    store_abandon(store);
    assert_int_equal(truncate(capture_path(path, f, "cpu0.pt"), 999), 0); /* the system has lost a byte */
    f->error.kind = ERROR_NONE;
    assert_null(store_resume(f->capture, &found, &f->error));
    assert_int_equal(f->error.kind, ERROR_NO_RESUME);
    assert_int_equal(truncate(path, 1000), 0);
    assert_int_equal(truncate(capture_path(path, f, "resume.1"), 100), 0);
    const int fd = open(capture_path(path, f, "resume.0"), O_WRONLY);
    assert_int_equal(write(fd, "damaged", 7), 7);
    close(fd);
    f->error.kind = ERROR_NONE;
    assert_null(store_resume(f->capture, &found, &f->error));
    assert_int_equal(f->error.kind, ERROR_NO_RESUME);
    assert_int_equal(access(capture_path(path, f, "cpu0.pt"), F_OK), 0); /* nothing is removed */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CAPTURE_TEST(what_was_not_committed_comes_again),
        CAPTURE_TEST(announced_gaps_are_recalled),
        CAPTURE_TEST(nothing_was_committed),
        CAPTURE_TEST(a_full_disk_is_waited_for),
        CAPTURE_TEST(a_full_disk_loses_nothing),
        CAPTURE_TEST(what_cannot_be_resumed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
