/* Offsets of the trace and of the truth, when the hardware wrote bytes that the trace lacks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "decode/check/truth_align.h"

#define NR 20

static struct truth_checkpoint checkpoints[NR];
static struct truth_cpu truth;
static struct flow_result results[NR];
static size_t nr_results;
static struct record_gap items[4];
static struct gaps gaps;

/* A PSB every 100 bytes from 100 on, with different branches after each. */
static int setup(void **state)
{
    (void)state;
    for (unsigned i = 0; i < NR; i++)
        checkpoints[i] = (struct truth_checkpoint){
            .trace_offset = 100 * (i + 1), .branches = i, .hash = i ? 1000 + i : TRUTH_HASH_SEED};
    truth = (struct truth_cpu){
        .checkpoints = checkpoints, .nr_checkpoints = NR, .ended = true, .end = {.trace_bytes = 2100, .branches = NR}};
    truth.end.hash = 1000 + NR;
    nr_results = 0;
    gaps = (struct gaps){.items = items};
    return 0;
}

/* Add a decoded stretch at this offset of the trace: the one after checkpoint i. */
static void decoded(unsigned i, uint64_t begin)
{
    results[nr_results++] =
        (struct flow_result){.begin = begin, .end = begin + 100, .branches = i + 1, .hash = 1001 + i};
}

static void gap(uint64_t at, uint64_t size, uint32_t cause)
{
    items[gaps.count++] = (struct record_gap){.at = at, .size = size, .cause = cause};
}

static struct truth_comparison compare(size_t unplaced)
{
    struct truth_aligned aligned;
    struct truth_comparison c;
    struct error error = {0};
    assert_true(truth_align(&aligned, &truth, results, nr_results, &gaps, &error));
    assert_int_equal(aligned.nr_unplaced, unplaced);
    truth_compare(&c, &truth, aligned.results, aligned.nr_results, &aligned.gaps);
    truth_aligned_free(&aligned);
    return c;
}

static void test_overrun(void **state)
{
    (void)state;
    decoded(0, 100);
    decoded(1, 200);
    gap(350, 30, RECORD_GAP_OVERRUN); /* then checkpoint 10 is at offset 400: the truth is 700 bytes ahead */
    for (unsigned i = 10; i < NR; i++)
        decoded(i, 400 + 100 * (i - 10));
    struct truth_comparison c = compare(0);
    assert_false(c.first.found);
    assert_int_equal(c.extra_stretches, 0);
    assert_int_equal(c.intervals, NR + 1);
    assert_int_equal(c.equal_intervals + c.in_gaps, NR + 1);
    assert_int_equal(c.equal_intervals, 3 + 10);
}

static void test_what_was_never_executed(void **state)
{
    (void)state;
    decoded(0, 100);
    gap(220, 0, RECORD_GAP_OVERRUN);
    decoded(5, 300);
    results[nr_results - 1].hash ^= 1;
    for (unsigned i = 6; i < NR; i++)
        decoded(i, 400 + 100 * (i - 6));
    struct truth_comparison c = compare(1);
    assert_false(c.first.found);
}

/* A run is placed as a whole: the truth has its first stretch twice. */
static void test_repeated_intervals(void **state)
{
    (void)state;
    checkpoints[8].branches = checkpoints[14].branches;
    checkpoints[8].hash = checkpoints[14].hash;
    decoded(0, 100);
    gap(220, 0, RECORD_GAP_ERROR);
    for (unsigned i = 13; i < NR; i++)
        decoded(i, 300 + 100 * (i - 13));
    struct truth_comparison c = compare(0);
    assert_false(c.first.found);
    assert_int_equal(c.equal_intervals, 2 + 7);
}

static void test_doubled_bytes_are_found(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 6; i++)
        decoded(i, 100 * (i + 1));
    gap(710, 0, RECORD_GAP_OVERRUN);
    decoded(3, 800); /* an earlier interval */
    compare(1);
}

static void test_no_such_gap(void **state)
{
    (void)state;
    for (unsigned i = 0; i < NR; i++)
        decoded(i, 100 * (i + 1));
    gap(700, 0, RECORD_GAP_STOPPED);
    struct truth_comparison c = compare(0);
    assert_false(c.first.found);
    assert_int_equal(c.equal_intervals, NR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_overrun, setup),
        cmocka_unit_test_setup(test_what_was_never_executed, setup),
        cmocka_unit_test_setup(test_repeated_intervals, setup),
        cmocka_unit_test_setup(test_doubled_bytes_are_found, setup),
        cmocka_unit_test_setup(test_no_such_gap, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
