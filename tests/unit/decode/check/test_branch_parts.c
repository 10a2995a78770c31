/* Traces with gaps against the list of all branches: the list must have the decoded branches in the interval of the
 * truth. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "decode/check/branch_parts.h"

#define NR 40

/* Ten branches in each interval after the PSBs at 100, 200, 300, 400; an overflow mark in the second. */
static struct truth_branch list[NR + 1];
static struct truth_checkpoint checkpoints[4];
static struct truth_cpu truth;
static struct branch_check all;
static struct branch_list decoded;
static struct flow_result results[8];
static size_t nr_results;
static struct record_gap items[4];
static struct gaps gaps;

static struct truth_branch branch(unsigned i)
{
    return (struct truth_branch){0x1000 + i, 0x2000 + i};
}

static int setup(void **state)
{
    (void)state;
    for (unsigned i = 0; i <= NR; i++)
        list[i] = i < 15 ? branch(i) : i == 15 ? (struct truth_branch){TRUTH_LIST_OVERFLOW, 0} : branch(i - 1);
    for (unsigned i = 0; i < 4; i++)
        checkpoints[i] = (struct truth_checkpoint){
            .trace_offset = 100 * (i + 1), .branches = i ? 10 : 0, .hash = i ? 1000 + i : TRUTH_HASH_SEED};
    truth = (struct truth_cpu){.checkpoints = checkpoints, .nr_checkpoints = 4, .ended = true};
    truth.end = (struct truth_end){.trace_bytes = 500, .branches = 10, .hash = 1004};
    all = (struct branch_check){.expected = list, .count = NR + 1};
    nr_results = 0;
    gaps = (struct gaps){.items = items};
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    branch_list_free(&decoded);
    return 0;
}

/* A decoded stretch with count branches, the first of which has this index. */
static void stretch(uint64_t begin, uint64_t end, unsigned from, unsigned count)
{
    results[nr_results++] =
        (struct flow_result){.begin = begin, .end = end, .branches = count, .hash = 1001 + from / 10};
    for (unsigned i = from; i < from + count; i++)
        branch_list_take(&decoded, branch(i).from, branch(i).to);
}

static struct branch_parts compare(size_t unplaced)
{
    struct truth_aligned aligned;
    struct branch_parts parts;
    struct error error = {0};
    assert_true(truth_align(&aligned, &truth, results, nr_results, &gaps, &error));
    assert_int_equal(aligned.nr_unplaced_parts, unplaced);
    assert_true(branch_parts_compare(&parts, &truth, &all, &decoded, results, nr_results, &aligned, &error));
    truth_aligned_free(&aligned);
    return parts;
}

static void first_parts_are_found_where_they_begin(void **state)
{
    (void)state;
    items[gaps.count++] = (struct record_gap){.at = 250};
    items[gaps.count++] = (struct record_gap){.at = 280};
    stretch(100, 200, 0, 10);
    stretch(200, 250, 10, 7);
    stretch(300, 400, 20, 10);
    stretch(400, 500, 30, 10);
    struct branch_parts parts = compare(0);
    assert_false(parts.differs);
    assert_int_equal(parts.stretches, 4);
    assert_int_equal(parts.branches, 37);
}

/* Fewer branches than the interval has, one of them wrong: the hash of the interval cannot show it. */
static void one_wrong_branch_before_a_gap_is_found(void **state)
{
    (void)state;
    items[gaps.count++] = (struct record_gap){.at = 250};
    stretch(100, 200, 0, 10);
    stretch(200, 250, 10, 7);
    stretch(300, 400, 20, 10);
    decoded.items[14].to ^= 1;
    struct branch_parts parts = compare(0);
    assert_true(parts.differs);
    assert_int_equal(parts.begin, 200);
    assert_int_equal(parts.number, 4);
    assert_int_equal(parts.taken.to, 0x2000 + 14);
    assert_int_equal(parts.decoded.to, (0x2000 + 14) ^ 1);
}

/* After overwritten bytes the offsets differ from the truth's: a part is searched in the list. */
static void parts_without_a_place_are_looked_for(void **state)
{
    (void)state;
    items[gaps.count++] = (struct record_gap){.at = 150, .cause = RECORD_GAP_OVERRUN};
    items[gaps.count++] = (struct record_gap){.at = 190, .cause = RECORD_GAP_OVERRUN};
    stretch(100, 150, 0, 5);
    stretch(160, 190, 20, 6);
    struct branch_parts parts = compare(1);
    assert_false(parts.differs);
    assert_int_equal(parts.branches, 11);
    decoded.items[8].from ^= 1;
    parts = compare(1);
    assert_true(parts.differs);
    assert_int_equal(parts.begin, 160);
}

static void more_than_the_list_has_differs(void **state)
{
    (void)state;
    items[gaps.count++] = (struct record_gap){.at = 450};
    stretch(400, 450, 30, 11);
    struct branch_parts parts = compare(0);
    assert_true(parts.differs);
    assert_int_equal(parts.number, 10);
    assert_int_equal(parts.taken.from, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(first_parts_are_found_where_they_begin, setup, teardown),
        cmocka_unit_test_setup_teardown(one_wrong_branch_before_a_gap_is_found, setup, teardown),
        cmocka_unit_test_setup_teardown(parts_without_a_place_are_looked_for, setup, teardown),
        cmocka_unit_test_setup_teardown(more_than_the_list_has_differs, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
