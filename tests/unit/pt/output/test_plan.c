/*
 * The drain plan, case by case: each hazard of the PMI as one snapshot of the registers with literal values.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "pt/output/plan.h"

#define TABLE_PA 0x5000ull
#define STOPPED 0x20ull
#define ERROR 0x10ull

static struct region_ring ring;

static int setup(void **state)
{
    (void)state;
    ring = region_ring_make(TABLE_PA, 0x100000, 4096, 4);
    return 0;
}

/* IA32_RTIT_OUTPUT_MASK_PTRS at byte offset of the region at index. */
static uint64_t at(uint64_t index, uint64_t offset)
{
    return offset << 32 | index << 7 | 0x7f;
}

static struct plan_snapshot snapshot_at(uint64_t status, uint64_t index, uint64_t offset)
{
    return (struct plan_snapshot){
        .rtit_status = status, .output_base = TABLE_PA, .output_mask_ptrs = at(index, offset)};
}

/* Drain at a place and hand all over that the plan says. */
static struct plan_drain drain(const struct plan_snapshot *snapshot)
{
    struct plan_drain plan = plan_drain(&ring, snapshot);
    struct region_span span;
    while (region_ring_next_span(&ring, plan.submit_end, &span))
        ;
    return plan;
}

static void test_first_table(void **state)
{
    (void)state;
    assert_int_equal(region_ring_entry(&ring, 0), 0x100004);
    assert_int_equal(region_ring_entry(&ring, 1), 0x101004);
    assert_int_equal(region_ring_entry(&ring, 2), 0x102004);
    assert_int_equal(region_ring_entry(&ring, 3), 0x103014); /* INT and STOP */
    assert_int_equal(region_ring_entry(&ring, 4), 0x5001);   /* END, to itself */
}

static void test_skid(void **state)
{
    (void)state;
    struct plan_snapshot s = snapshot_at(0x1234ull << 32 | 7, 1, 100);
    struct plan_drain d = drain(&s);
    assert_int_equal(d.submit_from, 0);
    assert_int_equal(d.submit_end, 4096);
    assert_int_equal(d.gap, PLAN_NO_GAP);
    struct plan_rearm r = plan_rearm(&ring, &d, &s, 0);
    assert_false(r.stall);
    assert_false(r.write_ptrs);
    assert_int_equal(r.nr_entries, 0); /* nothing released: STOP stays */
    assert_int_equal(r.rtit_status, 0);

    /* Later the first region is released: STOP moves onto it. */
    s = snapshot_at(0, 2, 0);
    d = drain(&s);
    assert_int_equal(d.submit_from, 4096);
    assert_int_equal(d.submit_end, 8192);
    r = plan_rearm(&ring, &d, &s, 4096);
    assert_false(r.stall);
    assert_int_equal(r.nr_entries, 2);
    assert_int_equal(r.entries[0].index, 3);
    assert_int_equal(r.entries[0].value, 0x103004);
    assert_int_equal(r.entries[1].index, 0);
    assert_int_equal(r.entries[1].value, 0x100014);
}

static void test_second_pmi_finds_nothing(void **state)
{
    (void)state;
    struct plan_snapshot s = snapshot_at(0, 1, 100);
    drain(&s);
    struct plan_drain d = drain(&s);
    assert_int_equal(d.submit_from, d.submit_end);
    assert_int_equal(d.gap, PLAN_NO_GAP);
}

static void test_merged_pmis(void **state)
{
    (void)state;
    struct plan_snapshot s = snapshot_at(0, 3, 8);
    struct plan_drain d = drain(&s);
    assert_int_equal(d.submit_end, 3 * 4096);
    /* Three regions unsent, the fourth in use and STOP on it: no slack. */
    assert_true(plan_rearm(&ring, &d, &s, 0).stall);
    assert_true(plan_rearm(&ring, &d, &s, 4095).stall);
    struct plan_rearm r = plan_rearm(&ring, &d, &s, 4096);
    assert_false(r.stall);
    assert_int_equal(r.entries[1].index, 0);
}

/* A TraceStop range ends tracing where the options want it: nothing is missing, and Stopped must outlast the drain. */
static void test_stopped_by_trace_stop(void **state)
{
    (void)state;
    struct plan_snapshot s = snapshot_at(STOPPED, 1, 100);
    s.trace_stop = true;
    struct plan_drain d = drain(&s);
    assert_int_equal(d.submit_end, 4096);
    assert_int_equal(d.gap, PLAN_NO_GAP);
    assert_int_equal(plan_rearm(&ring, &d, &s, 0).rtit_status, STOPPED);

    /* The same registers without such a range: the hardware stopped for another reason. */
    s.trace_stop = false;
    d = drain(&s);
    assert_int_equal(d.gap, PLAN_GAP_STOPPED);
    assert_int_equal(d.gap_at, 4096 + 100);
    assert_int_equal(plan_rearm(&ring, &d, &s, 0).rtit_status, 0);
}

/* Also with a TraceStop range, the end of the STOP region means a loss, and tracing continues. */
static void test_stop_region_beside_trace_stop(void **state)
{
    (void)state;
    struct plan_snapshot s = snapshot_at(STOPPED, 3, 4096);
    s.trace_stop = true;
    struct plan_drain d = drain(&s);
    assert_int_equal(d.gap, PLAN_GAP_STOPPED);
    assert_int_equal(d.gap_at, 4 * 4096);
    assert_int_equal(plan_rearm(&ring, &d, &s, 8192).rtit_status, 0);
}

static void test_stopped_at_region_size(void **state)
{
    (void)state;
    struct plan_snapshot s = snapshot_at(STOPPED | 1ull << 32, 3, 4096);
    struct plan_drain d = drain(&s);
    assert_int_equal(d.submit_end, 4 * 4096);
    assert_int_equal(d.gap, PLAN_GAP_STOPPED);
    assert_int_equal(d.gap_at, 4 * 4096);
    assert_true(plan_rearm(&ring, &d, &s, 4096).stall);
    struct plan_rearm r = plan_rearm(&ring, &d, &s, 8192);
    assert_false(r.stall);
    assert_true(r.write_ptrs);
    assert_false(r.rewrite_table);
    assert_int_equal(r.output_mask_ptrs, at(0, 0));
    assert_int_equal(r.rtit_status, 0);
    assert_int_equal(r.entries[0].index, 3);
    assert_int_equal(r.entries[1].index, 1);
    assert_int_equal(r.entries[1].value, 0x101014);
}

/* The processor has not read END yet: the index is still END's. */
static void test_index_on_end(void **state)
{
    (void)state;
    struct plan_snapshot s = snapshot_at(0, 2, 0);
    struct plan_drain d = drain(&s);
    assert_false(plan_rearm(&ring, &d, &s, 8192).stall);
    s = snapshot_at(0, 4, 0);
    d = drain(&s);
    assert_int_equal(d.submit_end, 4 * 4096);
    assert_int_equal(d.gap, PLAN_NO_GAP);
    struct plan_rearm r = plan_rearm(&ring, &d, &s, 8192);
    assert_true(r.write_ptrs);
    assert_int_equal(r.output_mask_ptrs, at(0, 0));
}

static void test_error_keeps_what_is_good(void **state)
{
    (void)state;
    struct plan_snapshot s = snapshot_at(ERROR, 2, 16);
    struct plan_drain d = drain(&s);
    assert_int_equal(d.gap, PLAN_GAP_ERROR);
    assert_int_equal(d.gap_at, 2 * 4096 + 16);
    assert_int_equal(d.submit_end, 2 * 4096);
    struct plan_rearm r = plan_rearm(&ring, &d, &s, 0);
    assert_true(r.rewrite_table);
    assert_int_equal(r.rtit_status, 0);
}

static void test_pointers_that_cannot_be(void **state)
{
    (void)state;
    struct plan_snapshot s = snapshot_at(0, 1, 100);
    struct plan_drain d = drain(&s);
    assert_false(plan_rearm(&ring, &d, &s, 0).stall);
    const struct plan_snapshot bad[] = {
        {.output_base = 0x6000, .output_mask_ptrs = at(1, 200)}, /* another table */
        snapshot_at(0, 5, 0),                                    /* after END */
        snapshot_at(0, 1, 4097),                                 /* beyond the region */
        snapshot_at(0, 1, 99), /* past STOP, around to just before the last position */
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        d = drain(&bad[i]);
        assert_int_equal(d.gap, PLAN_GAP_ERROR);
        assert_int_equal(d.gap_at, 4096 + 100);
        struct plan_rearm r = plan_rearm(&ring, &d, &bad[i], 0);
        assert_true(r.rewrite_table && r.write_ptrs);
        assert_int_equal(r.output_mask_ptrs, at(1, 100));
    }
}

static void test_all(void **state)
{
    (void)state;
    struct plan_snapshot s = snapshot_at(0, 1, 100);
    s.all = true;
    struct plan_drain d = drain(&s);
    assert_int_equal(d.submit_end, 4196);
    s = snapshot_at(0, 1, 150);
    d = drain(&s);
    assert_int_equal(d.submit_from, 4196);
    assert_int_equal(d.submit_end, 4196);
    /* The next drain starts in the middle of the region. */
    s = snapshot_at(0, 2, 1);
    d = drain(&s);
    assert_int_equal(d.submit_from, 4196);
    assert_int_equal(d.submit_end, 8192);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_first_table, setup),
        cmocka_unit_test_setup(test_skid, setup),
        cmocka_unit_test_setup(test_second_pmi_finds_nothing, setup),
        cmocka_unit_test_setup(test_merged_pmis, setup),
        cmocka_unit_test_setup(test_stopped_by_trace_stop, setup),
        cmocka_unit_test_setup(test_stop_region_beside_trace_stop, setup),
        cmocka_unit_test_setup(test_stopped_at_region_size, setup),
        cmocka_unit_test_setup(test_index_on_end, setup),
        cmocka_unit_test_setup(test_error_keeps_what_is_good, setup),
        cmocka_unit_test_setup(test_pointers_that_cannot_be, setup),
        cmocka_unit_test_setup(test_all, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
