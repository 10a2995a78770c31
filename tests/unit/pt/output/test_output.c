/*
 * All output schemes against a byte-accurate fake of the processor and the receiver: thousands of random drains with
 * skids from 0 to beyond a region, early and merged PMIs, STOP, wraps, operational errors and slow releases. No byte is
 * doubled, lost or overwritten before its release without a gap record at that place.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/unit/pt/output/fake_output.h"

struct result {
    unsigned pmis, gaps, overruns, stalls;
    uint64_t kept_min;
};

static void step(struct fake *fake)
{
    bool wrong = false;
    fake_write(fake, fake_random(fake, fake->setup.max_run + 1ull), true);
    if (fake->setup.errors && fake_random(fake, 40) == 0)
        fake_break(fake);
    bool all = fake_random(fake, fake->setup.recorder ? 100 : 24) == 0;
    bool due = (fake->setup.lost || !fake->out.scheme->pmis) && fake_due(fake);
    fake->pmi = fake->pmi && !fake->setup.lost;
    if (fake->pmi) {
        fake->pmis++;
        fake_write(fake, fake_random(fake, fake->setup.max_skid + 1ull), false);
    }
    if (fake_random(fake, 2) == 0)
        wrong = !fake_take(fake);
    if (fake_random(fake, 3) == 0)
        fake_release(fake);
    if (fake->pmi || all || wrong || fake->status || due || (!fake->setup.lost && fake_random(fake, 16) == 0))
        fake_drain(fake, all);
}

static struct result run(const struct fake_setup *setup, uint64_t seed)
{
    struct fake *fake = fake_make(setup, seed * 0x9e3779b97f4a7c15);
    while (fake->made + 2ull * setup->max_run + setup->max_skid < setup->stream_max)
        step(fake);
    fake_drain(fake, true);
    while (fake->released < fake->received)
        fake_release(fake);
    fake_verify(fake);
    struct result result = {fake->pmis, fake->gaps, fake->overruns, fake->stalls, fake->kept_min};
    fake_free(fake);
    return result;
}

static struct fake_setup setup_of(enum pt_scheme scheme, uint32_t nr_regions)
{
    return (struct fake_setup){.scheme = scheme,
                               .stop = true,
                               .mentry = scheme == PT_SCHEME_TOPA,
                               .region_bytes = 4096,
                               .nr_regions = nr_regions,
                               .early = 512,
                               .max_run = 8192,
                               .stream_max = 400000};
}

static void test_topa_skids(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct fake_setup setup = setup_of(PT_SCHEME_TOPA, 4 + (uint32_t)seed % 9);
        setup.max_skid = (uint32_t)seed * 4095 / 60;
        assert_int_equal(run(&setup, seed).gaps, 0);
        setup.max_skid = 14 * 4096;
        struct result result = run(&setup, seed);
        assert_true(result.gaps > 0 && result.pmis > 5);
    }
}

/* Without PMIs, reading the pointers often enough keeps the output from reaching STOP, and from wrapping. */
static void test_lost_pmis(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct fake_setup setup = setup_of(PT_SCHEME_TOPA, 4 + (uint32_t)seed % 9);
        setup.lost = true, setup.max_run = 4000;
        assert_int_equal(run(&setup, seed).gaps, 0);
        setup = setup_of(PT_SCHEME_SINGLE, 4 + (uint32_t)seed % 9);
        setup.lost = true, setup.max_run = 500, setup.stop = seed % 2;
        assert_int_equal(run(&setup, seed).gaps, 0);
    }
}

/* Tables beyond one page: 511 regions in each, linked by END. */
static void test_topa_chained(void **state)
{
    static const uint32_t numbers[] = {510, 511, 512, 1022, 1023};
    (void)state;
    for (uint32_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        struct fake_setup setup = setup_of(PT_SCHEME_TOPA, numbers[i]);
        setup.max_skid = 3000, setup.stream_max = numbers[i] * 4096 * 2;
        struct result result = run(&setup, i + 1);
        assert_int_equal(result.gaps, 0);
        assert_true(result.pmis > numbers[i]);
    }
}

static void test_single_stop(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct fake_setup setup = setup_of(PT_SCHEME_SINGLE, 2 + (uint32_t)seed % 9);
        setup.max_skid = (uint32_t)seed * 511 / 60;
        assert_int_equal(run(&setup, seed).gaps, 0);
        setup.max_skid = (uint32_t)seed * 300;
        struct result result = run(&setup, seed);
        assert_true(seed < 10 || result.gaps > 0);
        assert_int_equal(result.overruns, 0);
    }
}

/* Without STOP: a skid beyond the region's end wraps, once or more often. */
static void test_single_wraps(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct fake_setup setup = setup_of(PT_SCHEME_SINGLE, 2 + (uint32_t)seed % 9);
        setup.stop = false;
        setup.max_skid = 500;
        assert_int_equal(run(&setup, seed).gaps, 0);
        setup.max_skid = (uint32_t)seed * 300;
        struct result result = run(&setup, seed);
        assert_true(seed < 10 || result.overruns > 0);
    }
}

/* On a part with several regions a single one has no early PMI. Its second half takes the skid; where it is too small
 * to have halves, each end is a stop or a wrap, and is reported. */
static void test_single_forced(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct fake_setup setup = setup_of(PT_SCHEME_SINGLE, 5);
        setup.mentry = true, setup.max_skid = 100, setup.stop = seed % 2;
        assert_true(run(&setup, seed).gaps > 0);
        setup.region_bytes = 8192, setup.max_skid = 4000;
        assert_int_equal(run(&setup, seed).gaps, 0);
        setup.max_skid = 20000;
        struct result result = run(&setup, seed);
        assert_true(result.gaps > 0 && (result.overruns > 0) == !setup.stop);
    }
}

static void test_range(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct fake_setup setup = setup_of(PT_SCHEME_RANGE, 4 + (uint32_t)seed % 9);
        setup.max_run =
            6000; /* of the smallest range half, less the eighth that is not submitted yet, and the canary */
        assert_int_equal(run(&setup, seed).gaps, 0);
        setup.max_run = 60000;
        assert_true(run(&setup, seed).overruns > 0);
    }
}

/* Flight recorder: dropped bytes are reported, the newest bytes are kept. */
static void test_recorder_topa(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct fake_setup setup = setup_of(PT_SCHEME_TOPA, 4 + (uint32_t)seed % 9);
        setup.recorder = true, setup.max_skid = 3000;
        struct result result = run(&setup, seed);
        assert_int_equal(result.gaps, 0);
        assert_true(result.kept_min >= (setup.nr_regions - 2) * 4096ull);
    }
}

static void test_recorder_single(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct fake_setup setup = setup_of(PT_SCHEME_SINGLE, 3 + (uint32_t)seed % 9);
        setup.recorder = true, setup.max_skid = 400, setup.stop = seed % 2;
        struct result result = run(&setup, seed);
        assert_int_equal(result.gaps, 0);
        assert_true(result.kept_min >= (setup.nr_regions - 2) * 2048ull);
    }
}

static void test_recorder_range(void **state)
{
    unsigned overruns = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct fake_setup setup = setup_of(PT_SCHEME_RANGE, 4 + (uint32_t)seed % 9);
        uint64_t bytes = setup.nr_regions < 8 ? 16384 : 32768;
        setup.recorder = true, setup.max_run = 6000;
        struct result result = run(&setup, seed);
        assert_int_equal(result.gaps, 0);
        assert_int_equal(result.kept_min, bytes);
        setup.max_run = 60000;
        result = run(&setup, seed);
        assert_true(result.kept_min >= bytes * 7 / 8);
        overruns += result.overruns;
    }
    assert_true(overruns > 60);
}

static void test_errors(void **state)
{
    unsigned gaps = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 120; seed++) {
        struct fake_setup setup = setup_of(PT_SCHEME_TOPA + (unsigned)seed % 3, 4 + (uint32_t)seed % 9);
        setup.errors = true, setup.stop = seed % 2, setup.max_skid = 6000, setup.recorder = seed > 60;
        gaps += run(&setup, seed).gaps;
    }
    assert_true(gaps > 120);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_topa_skids),     cmocka_unit_test(test_topa_chained),
        cmocka_unit_test(test_single_stop),    cmocka_unit_test(test_single_wraps),
        cmocka_unit_test(test_single_forced),  cmocka_unit_test(test_range),
        cmocka_unit_test(test_errors),         cmocka_unit_test(test_lost_pmis),
        cmocka_unit_test(test_recorder_topa),  cmocka_unit_test(test_recorder_single),
        cmocka_unit_test(test_recorder_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
