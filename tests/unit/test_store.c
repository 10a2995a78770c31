/* What the receiver writes down: which holes in the trace are the wire's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "decode/receive/store.h"

struct gap_bytes {
    struct record_header header;
    struct record_gap gap;
};

static char directory[32];
static struct error error;

static int setup(void **state)
{
    (void)state;
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

/* Records and trace travel apart: another gap may be told of before the bytes arrive that stand behind a ring's. */
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
    assert_true(store_trace(store, 0, 1100, bytes, sizeof(bytes)));
    assert_int_equal(store_totals(store)->lost_trace_bytes, 84);
    assert_int_equal(store_totals(store)->gaps, 3);
    end_of(store, sizeof(gaps), 1200);
    assert_int_equal(store_totals(store)->lost_trace_bytes, 84 + 84);
    assert_int_equal(store_totals(store)->gaps, 4);
    assert_true(store_close(store));
}

/* All that was written was forgotten: that is none of the wire's holes either. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(test_holes, setup, teardown),
                                       cmocka_unit_test_setup_teardown(test_nothing_kept, setup, teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
