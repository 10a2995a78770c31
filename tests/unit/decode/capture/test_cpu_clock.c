/* RECORD_CLOCK: TSC packets and records by the clock of the trace. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "decode/capture/capture.h"
#include "tests/unit/decode/capture/capture_fixture.h"

static void take(struct cpu_clock *clock, uint64_t at, int64_t ahead)
{
    const struct record_clock payload = {.ahead = (uint64_t)ahead, .error = 7, .flags = RECORD_CLOCK_WRITTEN};
    const struct record_header header = {.kind = RECORD_CLOCK, .length = sizeof(payload), .trace_offset = at};
    assert_true(cpu_clock_take(clock, &header, (const uint8_t *)&payload));
}

static void without_records_it_is_the_tsc(void **state)
{
    struct cpu_clock clock = {0};
    const struct record_header other = {.kind = RECORD_SEEN, .length = 8};
    (void)state;
    assert_true(cpu_clock_take(&clock, &other, (const uint8_t *)"12345678"));
    assert_int_equal(clock.count, 0);
    assert_int_equal(cpu_clock_time(&clock, 5, 1000), 1000);
    assert_int_equal(cpu_clock_time(NULL, 5, 1000), 1000);
    assert_int_equal(cpu_clock_ahead(&clock), 0);
}

static void each_holds_from_its_offset_on(void **state)
{
    struct cpu_clock clock = {0};
    (void)state;
    take(&clock, 100, 400);
    take(&clock, 200, -3000);
    take(&clock, 200, -2000);
    assert_int_equal(cpu_clock_time(&clock, 99, 1000), 1000);
    assert_int_equal(cpu_clock_time(&clock, 100, 1000), 600);
    assert_int_equal(cpu_clock_time(&clock, 199, 1000), 600);
    assert_int_equal(cpu_clock_time(&clock, 200, 1000), 3000);
    assert_int_equal(cpu_clock_time(&clock, 1000, 0), 0); /* not known */
    assert_true(cpu_clock_ahead(&clock) == (uint64_t)-2000);
    assert_int_equal(clock.steps[0].error, 7);
    assert_true(clock.steps[0].written);
    cpu_clock_free(&clock);
}

/* TSC packets have 56 bits. A TSC that is lower by more than its value has wrapped around. */
static void it_wraps_around_as_packets_do(void **state)
{
    struct cpu_clock clock = {0};
    (void)state;
    take(&clock, 0, -5000);
    assert_int_equal(cpu_clock_time(&clock, 0, (1ull << 56) - 1000), 4000);
    cpu_clock_free(&clock);
}

static void damaged_offsets_keep_the_order(void **state)
{
    struct cpu_clock clock = {0};
    (void)state;
    take(&clock, 100, 1);
    take(&clock, 50, 2);
    assert_int_equal(cpu_clock_time(&clock, 60, 1000), 1000);
    assert_int_equal(cpu_clock_time(&clock, 100, 1000), 998);
    cpu_clock_free(&clock);
}

/* The record itself and those after it have the new TSC, those of other CPUs their own. */
static void records_have_the_clocks_time(void **state)
{
    struct capture_fixture *f = *state;
    const struct record_clock payload = {.ahead = 600};
    uint64_t offset = 0, other = 0;
    struct store *store = store_create(f->capture, &f->error);
    assert_non_null(store);
    put_record(store, 0, &offset, RECORD_HELLO, 0, HELLO, sizeof(HELLO) - 1);
    put_record(store, 1, &other, RECORD_SEEN, 0, "12345678", 8);
    put_record(store, 1, &other, RECORD_CLOCK, 0, &payload, sizeof(payload));
    put_record(store, 1, &other, RECORD_SEEN, 0, "12345678", 8);
    put_record(store, 0, &offset, RECORD_SEEN, 0, "12345678", 8);
    assert_true(store_close(store));
    struct capture *capture = capture_open(f->capture, &f->error);
    assert_non_null(capture);
    assert_int_equal(capture->nr_records, 5);
    const uint64_t tsc = capture->records[0].header.tsc;
    assert_true(capture->records[1].header.tsc == tsc);
    assert_true(capture->records[2].header.tsc == tsc - 600);
    assert_true(capture->records[3].header.tsc == tsc - 600);
    assert_true(capture->records[4].header.tsc == tsc);
    capture_close(capture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_records_it_is_the_tsc), cmocka_unit_test(each_holds_from_its_offset_on),
        cmocka_unit_test(it_wraps_around_as_packets_do), cmocka_unit_test(damaged_offsets_keep_the_order),
        CAPTURE_TEST(records_have_the_clocks_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
