/* The receiver's store: which holes in the trace were lost on the wire, which are impossible, and what a failure
 * leaves.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "decode/capture/capture_check.h"
#include "decode/receive/store.h"
#include "serial/wire/frame.h"

struct gap_bytes {
    struct record_header header;
    struct record_gap gap;
};

static char directory[32];
static struct error error;

static int setup(void **state)
{
    (void)state;
    error = (struct error){0};
    snprintf(directory, sizeof(directory), "/tmp/test_store.XXXXXX");
    return mkdtemp(directory) ? 0 : 1;
}

static int teardown(void **state)
{
    char command[64];
    (void)state;
    snprintf(command, sizeof(command), "rm -rf %s", directory);
    return system(command);
}

static struct gap_bytes gap_of(enum record_gap_cause cause, uint64_t at, uint64_t size)
{
    return (struct gap_bytes){.header = {.kind = RECORD_GAP, .length = sizeof(struct record_gap), .trace_offset = at},
                              .gap = {.at = at, .size = size, .cause = cause}};
}

static void end_of(struct store *store, uint64_t offset, unsigned trace_bytes)
{
    struct {
        struct record_header header;
        char text[24];
    } end = {.header = {.kind = RECORD_END, .length = 24}};
    assert_in_range(snprintf(end.text, sizeof(end.text), "trace_bytes %u\n", trace_bytes), 1, 23);
    assert_true(store_records(store, 0, offset, (const uint8_t *)&end, sizeof(end)));
}

/* Records and trace are separate streams: a second gap may be announced before the bytes after a ring gap arrive. */
static void test_holes(void **state)
{
    static const uint8_t bytes[16] = {0};
    struct gap_bytes gaps[] = {gap_of(RECORD_GAP_RING, 0, 1000), gap_of(RECORD_GAP_OVERRUN, 1000, 0)};
    struct store *store = store_create(directory, &error);
    (void)state;
    assert_non_null(store);
    assert_true(store_records(store, 0, 0, (const uint8_t *)gaps, sizeof(gaps)));
    assert_true(store_trace(store, 0, 1000, bytes, sizeof(bytes)));
    assert_int_equal(store_totals(store)->lost_trace_bytes, 0);
    store_lost_frames(store, 1, FRAME_MAX_PAYLOAD);
    assert_true(store_trace(store, 0, 1100, bytes, sizeof(bytes)));
    assert_int_equal(store_totals(store)->lost_trace_bytes, 84);
    assert_int_equal(store_totals(store)->gaps, 3);
    end_of(store, sizeof(gaps), 1200);
    assert_int_equal(store_totals(store)->lost_trace_bytes, 84 + 84);
    assert_int_equal(store_totals(store)->gaps, 4);
    assert_true(store_close(store));
}

/* The hypervisor dropped all that was written: no loss of the wire. */
static void test_nothing_kept(void **state)
{
    struct gap_bytes gap = gap_of(RECORD_GAP_RING, 0, 1000);
    struct store *store = store_create(directory, &error);
    (void)state;
    assert_non_null(store);
    assert_true(store_records(store, 0, 0, (const uint8_t *)&gap, sizeof(gap)));
    end_of(store, sizeof(gap), 1000);
    assert_true(store_totals(store)->ended);
    assert_int_equal(store_totals(store)->lost_trace_bytes, 0);
    assert_true(store_close(store));
}

/* Trace that was never sent, as no receiver answered: no loss of the wire, and it is reported. */
static void test_cut(void **state)
{
    static const uint8_t bytes[1000] = {0};
    struct gap_bytes gaps[] = {gap_of(RECORD_GAP_CUT, 1000, 28), gap_of(RECORD_GAP_CUT, 1028, 0)};
    struct store *store = store_create(directory, &error);
    (void)state;
    assert_non_null(store);
    assert_true(store_trace(store, 0, 0, bytes, sizeof(bytes)));
    assert_true(store_records(store, 0, 0, (const uint8_t *)gaps, sizeof(gaps)));
    end_of(store, sizeof(gaps), 1028);
    assert_true(store_totals(store)->ended);
    assert_int_equal(store_totals(store)->lost_trace_bytes, 0);
    assert_int_equal(store_totals(store)->gaps, 2);
    assert_int_equal(store_totals(store)->cuts, 2);
    assert_true(store_close(store));
}

/* Two ring gaps are announced before the trace between them arrives: neither was lost on the wire, and no frame is
 * held. */
static void test_two_rings(void **state)
{
    static const uint8_t bytes[16] = {0};
    struct gap_bytes gaps[] = {gap_of(RECORD_GAP_RING, 0, 1000), gap_of(RECORD_GAP_RING, 1016, 1ull << 40)};
    struct store *store = store_create(directory, &error);
    (void)state;
    assert_non_null(store);
    assert_true(store_records(store, 0, 0, (const uint8_t *)gaps, sizeof(gaps)));
    assert_true(store_trace(store, 0, 1000, bytes, sizeof(bytes)));
    assert_int_equal(store_totals(store)->trace_bytes, 16);
    assert_true(store_trace(store, 0, 1016 + (1ull << 40), bytes, sizeof(bytes)));
    assert_int_equal(store_totals(store)->trace_bytes, 32);
    assert_int_equal(store_totals(store)->lost_trace_bytes, 0);
    assert_int_equal(store_totals(store)->gaps, 2);
    assert_true(store_close(store));
}

/* The wire lost the bytes before a ring gap: only those count as lost. */
static void test_lost_before_a_ring(void **state)
{
    static const uint8_t bytes[16] = {0};
    struct gap_bytes gap = gap_of(RECORD_GAP_RING, 100, 1000);
    struct store *store = store_create(directory, &error);
    (void)state;
    assert_non_null(store);
    assert_true(store_records(store, 0, 0, (const uint8_t *)&gap, sizeof(gap)));
    store_lost_frames(store, 1, FRAME_MAX_PAYLOAD);
    assert_true(store_trace(store, 0, 1110, bytes, sizeof(bytes)));
    assert_int_equal(store_totals(store)->lost_trace_bytes, 100 + 10);
    assert_int_equal(store_totals(store)->gaps, 3);
    assert_true(store_close(store));
}

static off_t size_of(const char *name)
{
    char path[64];
    struct stat status;
    snprintf(path, sizeof(path), "%s/%s", directory, name);
    return stat(path, &status) == 0 ? status.st_size : -1;
}

/* A single frame at a far offset does not make a file of a terabyte: it is dropped and counted. */
static void test_far_frame(void **state)
{
    static const uint8_t bytes[16] = {0};
    struct store *store = store_create(directory, &error);
    (void)state;
    assert_non_null(store);
    assert_true(store_trace(store, 2, 0, bytes, sizeof(bytes)));
    assert_true(store_trace(store, 2, 1ull << 40, bytes, sizeof(bytes)));
    assert_true(store_trace(store, 2, 16, bytes, sizeof(bytes)));
    assert_int_equal(store_totals(store)->misplaced, 1);
    assert_int_equal(store_totals(store)->first_misplaced.cpu, 2);
    assert_true(store_totals(store)->first_misplaced.offset == 1ull << 40);
    assert_int_equal(store_totals(store)->first_misplaced.due, 16);
    assert_true(store_records(store, 2, 1ull << 50, bytes, sizeof(bytes)));
    store_settle(store);
    assert_int_equal(store_totals(store)->misplaced, 2);
    assert_int_equal(store_totals(store)->lost_record_bytes, 0);
    assert_true(store_close(store));
    assert_int_equal(size_of("cpu2.pt"), 32);
}

/* The record that explains a hole was lost on a serial line: the stream continues there, and nothing else is lost. */
static void test_far_stream(void **state)
{
    static const uint8_t bytes[16] = {0};
    const uint64_t far = 1ull << 36;
    struct store *store = store_create(directory, &error);
    (void)state;
    assert_non_null(store);
    assert_true(store_trace(store, 0, 0, bytes, sizeof(bytes)));
    assert_true(store_trace(store, 0, far, bytes, sizeof(bytes)));
    assert_true(store_trace(store, 0, far + 16, bytes, sizeof(bytes)));
    assert_int_equal(store_totals(store)->misplaced, 0);
    assert_int_equal(store_totals(store)->trace_bytes, 48);
    assert_true(store_totals(store)->lost_trace_bytes == far - 16);
    assert_true(store_trace(store, 0, 2 * far, bytes, sizeof(bytes)));
    /* The end record shows that this one, the last frame, is at the right offset too. */
    struct {
        struct record_header header;
        char text[32];
    } end = {.header = {.kind = RECORD_END, .length = 32}};
    snprintf(end.text, sizeof(end.text), "trace_bytes %llu\n", (unsigned long long)(2 * far + 16));
    assert_true(store_records(store, 0, 0, (const uint8_t *)&end, sizeof(end)));
    store_settle(store);
    assert_int_equal(store_totals(store)->misplaced, 0);
    assert_int_equal(store_totals(store)->trace_bytes, 64);
    assert_true(store_close(store));
    assert_true((uint64_t)size_of("cpu0.pt") == 2 * far + 16);
}

/* The number of lost frames bounds the missing bytes. */
static void test_bounded_holes(void **state)
{
    static const uint8_t bytes[16] = {0};
    struct store *store = store_create(directory, &error);
    (void)state;
    assert_non_null(store);
    store_lost_frames(store, 2, FRAME_MAX_PAYLOAD);
    assert_true(store_trace(store, 0, 2 * FRAME_MAX_PAYLOAD, bytes, sizeof(bytes)));
    assert_int_equal(store_totals(store)->trace_bytes, 16);
    assert_true(store_trace(store, 0, 2 * FRAME_MAX_PAYLOAD + 17, bytes, sizeof(bytes)));
    assert_int_equal(store_totals(store)->trace_bytes, 16); /* no more bytes may be missing */
    assert_true(store_close(store));
}

/* Nothing was received: no files are left, and the same name can be used again. */
static void test_discard(void **state)
{
    char path[64];
    (void)state;
    snprintf(path, sizeof(path), "%s/new", directory);
    struct store *store = store_create(path, &error);
    assert_non_null(store);
    store_discard(store);
    assert_int_equal(size_of("new"), -1);
    store = store_create(directory, &error); /* an existing directory stays */
    assert_non_null(store);
    store_discard(store);
    store = store_create(directory, &error);
    assert_non_null(store);
    assert_true(store_close(store));
}

/* The disk is full: checksums cover what was written before, and the failure is reported. */
static void test_full_disk(void **state)
{
    static const uint8_t bytes[4096] = {7};
    struct rlimit limit = {8192, RLIM_INFINITY};
    struct store *store = store_create(directory, &error);
    (void)state;
    assert_non_null(store);
    signal(SIGXFSZ, SIG_IGN);
    assert_true(store_trace(store, 0, 0, bytes, sizeof(bytes)));
    assert_true(store_flush(store));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    store_trace(store, 0, 4096, bytes, sizeof(bytes));
    store_trace(store, 0, 8192, bytes, sizeof(bytes));
    bool good = store_flush(store);
    limit.rlim_cur = RLIM_INFINITY;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_false(good);
    assert_int_equal(store_error(store)->kind, ERROR_CANNOT_WRITE_AT);
    assert_int_equal(store_error(store)->number, 8192);
    store_close(store);
    struct error failed = {0};
    struct capture *capture = capture_open(directory, &failed);
    assert_non_null(capture);
    capture_check_trace(capture, 0, 0, UINT64_MAX);
    assert_int_equal(capture->cpus[0].size, 8192);
    assert_int_equal(capture->damages.count, 0);
    assert_int_equal(capture->unsummed.count, 0);
    capture_close(capture);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_holes),      TEST(test_nothing_kept),       TEST(test_cut),
                                       TEST(test_two_rings),  TEST(test_lost_before_a_ring), TEST(test_far_frame),
                                       TEST(test_far_stream), TEST(test_bounded_holes),      TEST(test_discard),
                                       TEST(test_full_disk)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
