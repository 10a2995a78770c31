/* Gaps: which intervals they touch, and that the comparison excludes exactly those. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "decode/capture/gaps.h"
#include "decode/check/truth_file.h"

static void a_pause_touches_what_ends_in_it(void **state)
{
    struct record_gap gap = {.at = 200};
    struct gaps gaps = {&gap, 1};
    (void)state;
    assert_false(gaps_touch(&gaps, 0, 199));
    assert_true(gaps_touch(&gaps, 100, 200)); /* the PSB at 200 ended the pause */
    assert_true(gaps_touch(&gaps, 100, 201));
    assert_false(gaps_touch(&gaps, 200, 300));
    assert_false(gaps_touch(NULL, 100, 300));
}

static void missing_bytes_touch_what_they_reach(void **state)
{
    struct record_gap gap[2] = {{.at = 0, .size = 150}, {.at = 400, .size = 100}};
    struct gaps gaps = {gap, 2};
    (void)state;
    assert_true(gaps_touch(&gaps, 0, 50));
    assert_true(gaps_touch(&gaps, 100, 200));
    assert_false(gaps_touch(&gaps, 150, 300));
    assert_true(gaps_touch(&gaps, 300, 400)); /* there may have been a PSB at 400 */
    assert_true(gaps_touch(&gaps, 450, 600));
    assert_false(gaps_touch(&gaps, 500, 600));
}

/* The stretches between missing bytes: gaps that overlap count as one, and gaps of size 0 separate nothing. */
static void runs_lie_between_gaps(void **state)
{
    struct record_gap gap[7] = {{.at = 0, .size = 50},
                                {.at = 80},
                                {.at = 100, .size = 100},
                                {.at = 150, .size = 100},
                                {.at = 160, .size = 10},
                                {.at = 260},
                                {.at = 300, .size = UINT64_MAX - 10}};
    struct gaps gaps = {gap, 7};
    struct gaps_run run = {0};
    (void)state;
    assert_true(gaps_next_run(&run, &gaps, 1000));
    assert_int_equal(run.begin, 50);
    assert_int_equal(run.end, 100);
    assert_true(gaps_next_run(&run, &gaps, 1000));
    assert_int_equal(run.begin, 250);
    assert_int_equal(run.end, 300);
    assert_false(gaps_next_run(&run, &gaps, 1000));
    run = (struct gaps_run){0};
    gaps.count = 0;
    assert_true(gaps_next_run(&run, &gaps, 1000));
    assert_int_equal(run.begin, 0);
    assert_int_equal(run.end, 1000);
    assert_false(gaps_next_run(&run, &gaps, 1000));
    /* Gaps after the end of the file. */
    gaps = (struct gaps){gap + 2, 1};
    run = (struct gaps_run){0};
    assert_true(gaps_next_run(&run, &gaps, 90));
    assert_int_equal(run.end, 90);
    assert_false(gaps_next_run(&run, &gaps, 90));
}

/* Checkpoints at 100, 200, 300, the end at 350; tracing paused at 200. */
static struct truth_checkpoint checkpoints[3] = {{.trace_offset = 100, .hash = TRUTH_HASH_SEED},
                                                 {.trace_offset = 200, .branches = 10, .hash = 1},
                                                 {.trace_offset = 300, .branches = 20, .hash = 2}};
static const struct truth_cpu truth = {.checkpoints = checkpoints,
                                       .nr_checkpoints = 3,
                                       .ended = true,
                                       .end = {.trace_bytes = 350, .branches = 5, .hash = 3}};

static void only_what_a_gap_touches_is_left_out(void **state)
{
    struct flow_result results[3] = {{.begin = 100, .end = 200, .branches = 4, .hash = 99},
                                     {.begin = 200, .end = 300, .branches = 20, .hash = 2},
                                     {.begin = 300, .end = 350, .branches = 5, .hash = 3}};
    struct record_gap gap = {.at = 200};
    struct gaps gaps = {&gap, 1};
    struct truth_comparison c;
    (void)state;
    truth_compare(&c, &truth, results, 3, &gaps);
    assert_false(c.first.found);
    assert_int_equal(c.in_gaps, 1);
    assert_int_equal(c.branches_in_gaps, 10);
    assert_int_equal(c.matched, 25);
    assert_int_equal(c.branches, 35);
    assert_int_equal(c.extra_stretches, 0);
    results[1].hash = 7;
    truth_compare(&c, &truth, results, 3, &gaps);
    assert_true(c.first.found);
    assert_int_equal(c.first.interval, 2);
}

/* The decoded branches of an interval that a gap touches must be its first ones. */
static void the_part_before_a_gap_is_compared(void **state)
{
    struct flow_result results[3] = {{.begin = 100, .end = 150, .branches = 4, .hash = 99},
                                     {.begin = 200, .end = 300, .branches = 20, .hash = 2},
                                     {.begin = 300, .end = 350, .branches = 5, .hash = 3}};
    struct record_gap gap[2] = {{.at = 150}, {.at = 180}};
    struct gaps gaps = {gap, 2};
    struct truth_comparison c;
    (void)state;
    truth_compare(&c, &truth, results, 3, &gaps);
    assert_false(c.first.found);
    assert_int_equal(c.parts, 1);
    assert_int_equal(c.branches_in_parts, 4);
    results[0].branches = 11; /* more than the truth has */
    truth_compare(&c, &truth, results, 3, &gaps);
    assert_true(c.first.found && c.first.part);
    assert_int_equal(c.first.interval, 1);
    results[0].branches = 10; /* as many, but different ones */
    truth_compare(&c, &truth, results, 3, &gaps);
    assert_true(c.first.found);
    results[0].hash = 1;
    truth_compare(&c, &truth, results, 3, &gaps);
    assert_false(c.first.found);
    assert_int_equal(c.matched, 25);
    results[0].begin = 155; /* no PSB was written there */
    truth_compare(&c, &truth, results, 3, &gaps);
    assert_int_equal(c.extra_stretches, 1);
}

/* Output stopped 15 bytes after a checkpoint: its PSB is truncated, and the stretch before it ends at the gap. */
static void a_cut_psb_ends_no_stretch(void **state)
{
    struct flow_result results[3] = {{.begin = 100, .end = 215, .branches = 10, .hash = 1},
                                     {.begin = 230, .end = 300, .branches = 1, .hash = 9},
                                     {.begin = 300, .end = 350, .branches = 5, .hash = 3}};
    struct record_gap gap = {.at = 215};
    struct gaps gaps = {&gap, 1};
    struct truth_comparison c;
    (void)state;
    truth_compare(&c, &truth, results, 3, &gaps);
    assert_false(c.first.found);
    assert_int_equal(c.in_gaps, 2);
    assert_int_equal(c.matched, 5);
    gap.at = 216;
    results[0].end = 200;
    truth_compare(&c, &truth, results, 3, &gaps);
    assert_false(c.first.found);
    assert_int_equal(c.in_gaps, 1);
    assert_int_equal(c.matched, 15);
}

static void bytes_that_are_gone_need_no_stretch(void **state)
{
    struct flow_result results[1] = {{.begin = 300, .end = 350, .branches = 5, .hash = 3}};
    struct record_gap gap = {.at = 0, .size = 250};
    struct gaps gaps = {&gap, 1};
    struct truth_comparison c;
    (void)state;
    truth_compare(&c, &truth, results, 1, &gaps);
    assert_false(c.first.found);
    assert_int_equal(c.in_gaps, 3);
    assert_int_equal(c.matched, 5);
    truth_compare(&c, &truth, results, 1, NULL);
    assert_true(c.first.found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pause_touches_what_ends_in_it),
        cmocka_unit_test(missing_bytes_touch_what_they_reach),
        cmocka_unit_test(runs_lie_between_gaps),
        cmocka_unit_test(only_what_a_gap_touches_is_left_out),
        cmocka_unit_test(the_part_before_a_gap_is_compared),
        cmocka_unit_test(a_cut_psb_ends_no_stretch),
        cmocka_unit_test(bytes_that_are_gone_need_no_stretch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
