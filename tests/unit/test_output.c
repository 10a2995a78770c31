/*
 * All output schemes against a byte-accurate fake of the processor and the receiver: thousands of random drains with
 * skids from 0 to beyond a region, early and merged PMIs, STOP, wraps, operational errors and slow releases. No byte is
 * doubled, lost or overwritten before its release without a gap record at that place.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fake_output.h"

/* --- the processor --------------------------------------------------------------------------------------------------
 */

static uint64_t read_entry(void *context, uint64_t pa)
{
    struct fake *fake = context;
    uint32_t slots = fake->out.scheme->nr_slots(&fake->out);
    assert_in_range(pa, TABLES_PA, TABLES_PA + 8ull * (slots - 1));
    return fake->tables[(pa - TABLES_PA) / 8];
}

static void put_byte(struct fake *fake, uint64_t place)
{
    assert_in_range(place, 0, fake->memory_bytes - 1);
    fake->memory[place] = fake->made;
}

static void write_topa(struct fake *fake)
{
    if (!fake->loaded) {
        enum topa_error error = topa_walk_load(&fake->walk, read_entry, fake, 39, !fake->setup.mentry);
        assert_int_equal(error, TOPA_OK);
        fake->loaded = true;
    }
    put_byte(fake, topa_walk_pa(&fake->walk) - REGIONS_PA);
    unsigned events = topa_walk_advance(&fake->walk, 1);
    if (events & TOPA_FILLED)
        fake->loaded = false;
    if (events & TOPA_FILLED_STOP)
        fake->status |= RTIT_STATUS_STOPPED;
    if (fake->setup.mentry && events & TOPA_FILLED_INT)
        fake->pmi = true;
    /* With a single region the PMI comes before the end, once a lap. */
    if (!fake->setup.mentry && fake->walk.ptrs.offset == fake->setup.region_bytes - fake->setup.early)
        fake->pmi = true;
}

static void write_range(struct fake *fake)
{
    put_byte(fake, fake->range_offset);
    fake->range_offset = (fake->range_offset + 1) % fake->memory_bytes;
}

void fake_write(struct fake *fake, uint64_t bytes, bool until_pmi)
{
    for (; bytes > 0 && !(until_pmi && fake->pmi); bytes--) {
        fake->made++;
        if (fake->status & (RTIT_STATUS_STOPPED | RTIT_STATUS_ERROR))
            continue;
        if (fake->setup.scheme == PT_SCHEME_RANGE)
            write_range(fake);
        else
            write_topa(fake);
    }
}

void fake_break(struct fake *fake)
{
    fake->status |= RTIT_STATUS_ERROR;
    switch (fake_random(fake, 3)) {
    case 0:
        fake->walk.ptrs.table_pa ^= 0x500000;
        break;
    case 1:
        fake->walk.ptrs.offset = 0x7fffffff;
        break;
    default:
        break; /* the pointers are as they were */
    }
    if (fake->setup.scheme != PT_SCHEME_RANGE)
        fake->tables[fake_random(fake, fake->out.scheme->nr_slots(&fake->out))] ^= 0x2;
}

static uint32_t canary_intact(const struct fake *fake)
{
    uint64_t at = fake->out.scheme->canary ? fake->out.scheme->canary(&fake->out) : CANARY_NOWHERE;
    uint32_t left = 0;
    if (at == CANARY_NOWHERE)
        return 0;
    for (; left < CANARY_WORDS; left++)
        for (uint32_t i = 0; i < 8; i++) {
            uint32_t byte = CANARY_BYTES - 8 * (left + 1) + i;
            if (fake->memory[at + byte] != CANARY_SEQ + byte)
                return left;
        }
    return left;
}

static struct plan_snapshot snapshot(const struct fake *fake, bool all)
{
    struct plan_snapshot s = {.rtit_status = fake->status,
                              .output_base = fake->walk.ptrs.table_pa,
                              .output_mask_ptrs = topa_ptrs_pack(fake->walk.ptrs),
                              .all = all,
                              .canary_left = canary_intact(fake)};
    if (fake->setup.scheme == PT_SCHEME_RANGE)
        s.output_mask_ptrs = fake->range_offset << 32 | (fake->memory_bytes - 1);
    return s;
}

static void apply(struct fake *fake, const struct plan_rearm *plan)
{
    uint32_t slots = fake->out.scheme->nr_slots(&fake->out);
    assert_true(plan->nr_entries <= PLAN_MAX_ENTRIES);
    for (uint32_t i = 0; i < plan->nr_entries; i++)
        fake->tables[plan->entries[i].index] = plan->entries[i].value;
    for (uint32_t i = 0; i < slots; i++) {
        if (plan->rewrite_table)
            fake->tables[i] = fake->out.scheme->entry(&fake->out, i);
        assert_int_equal(fake->tables[i], fake->out.scheme->entry(&fake->out, i));
    }
    if (plan->canary != CANARY_NOWHERE) {
        assert_in_range(plan->canary, 0, fake->memory_bytes - CANARY_BYTES);
        for (uint32_t i = 0; i < CANARY_BYTES; i++)
            fake->memory[plan->canary + i] = CANARY_SEQ + i;
    }
    if (plan->write_ptrs) {
        fake->walk.ptrs = topa_ptrs_unpack(plan->output_base, plan->output_mask_ptrs);
        fake->range_offset = plan->output_mask_ptrs >> 32;
    }
    fake->status = plan->rtit_status;
    fake->loaded = false;
}

/* --- the receiver ---------------------------------------------------------------------------------------------------
 */

static void receive(struct fake *fake, const struct ring_span *span)
{
    assert_int_equal(span->offset, fake->received);
    assert_true(span->place + span->size <= fake->memory_bytes);
    assert_true(span->offset + span->size < fake->setup.stream_max);
    for (uint32_t i = 0; i < span->size; i++) {
        fake->got[span->offset + i] = fake->memory[span->place + i];
        fake->place[span->offset + i] = (uint32_t)span->place + i;
    }
    fake->received += span->size;
}

void fake_release(struct fake *fake)
{
    uint64_t to = fake->released + fake_random(fake, fake->received - fake->released + 1);
    for (; fake->released < to; fake->released++)
        if (fake->memory[fake->place[fake->released]] != fake->got[fake->released])
            fake->marks[fake->released] |= FAKE_DAMAGED;
}

static void note_gap(struct fake *fake, const struct plan_drain *plan)
{
    if (plan->gap == PLAN_NO_GAP)
        return;
    fake->gaps++;
    fake->overruns += plan->gap == PLAN_GAP_OVERRUN;
    assert_true(plan->gap_at + plan->gap_size <= fake->out.written);
    for (uint64_t i = 0; i < plan->gap_size; i++)
        fake->marks[plan->gap_at + i] |= FAKE_VOID;
    fake->marks[plan->gap_at + plan->gap_size] |= FAKE_CUT;
}

void fake_drain(struct fake *fake, bool all)
{
    struct plan_snapshot s = snapshot(fake, all);
    struct plan_drain plan = fake->out.scheme->drain(&fake->out, &s);
    struct ring_span span;
    fake->pmi = false;
    assert_int_equal(plan.hand_from, fake->received);
    while (fake->out.scheme->hand_over(&fake->out, plan.hand_end, &span))
        receive(fake, &span);
    assert_int_equal(plan.hand_end, fake->received);
    note_gap(fake, &plan);
    if (all)
        assert_int_equal(fake->received, fake->out.written);
    struct plan_rearm rearm;
    for (;;) {
        rearm = fake->out.scheme->rearm(&fake->out, &plan, &s, fake->released);
        if (!rearm.stall)
            break;
        fake->stalls++;
        fake_release(fake);
    }
    apply(fake, &rearm);
}

bool fake_take(struct fake *fake)
{
    struct plan_snapshot s = snapshot(fake, false);
    return fake->out.scheme->take(&fake->out, &s);
}

void fake_verify(const struct fake *fake)
{
    uint32_t last = 0;
    bool cut = false;
    for (uint64_t i = 0; i < fake->received; i++) {
        if (fake->marks[i] & FAKE_VOID) {
            cut = true;
            continue;
        }
        cut = cut || fake->marks[i] & FAKE_CUT;
        assert_false(fake->marks[i] & FAKE_DAMAGED);
        if (cut)
            assert_true(fake->got[i] > last && fake->got[i] < CANARY_SEQ);
        else
            assert_int_equal(fake->got[i], last + 1);
        last = fake->got[i];
        cut = false;
    }
    if (last != fake->made)
        assert_true(cut || fake->marks[fake->received] & FAKE_CUT);
}

struct fake *fake_make(const struct fake_setup *setup, uint64_t seed)
{
    struct fake *fake = calloc(1, sizeof(*fake));
    assert_non_null(fake);
    fake->setup = *setup;
    fake->seed = seed;
    fake->config =
        (struct pt_config){.stop = setup->stop, .region_bytes = setup->region_bytes, .nr_regions = setup->nr_regions};
    fake->memory_bytes = setup->scheme == PT_SCHEME_RANGE ? pt_scheme_range_bytes(&fake->config)
                                                          : fake->config.region_bytes * fake->config.nr_regions;
    fake->memory = calloc(fake->memory_bytes, sizeof(*fake->memory));
    fake->got = calloc(setup->stream_max, sizeof(*fake->got));
    fake->place = calloc(setup->stream_max, sizeof(*fake->place));
    fake->marks = calloc(setup->stream_max, 1);
    assert_true(fake->memory && fake->got && fake->place && fake->marks);
    fake->out = output_make(setup->scheme, &fake->config, TABLES_PA, REGIONS_PA);
    struct plan_rearm start = output_start(&fake->out);
    apply(fake, &start);
    return fake;
}

void fake_free(struct fake *fake)
{
    free(fake->memory);
    free(fake->got);
    free(fake->place);
    free(fake->marks);
    free(fake);
}

/* --- random runs ----------------------------------------------------------------------------------------------------
 */

struct result {
    unsigned pmis, gaps, overruns, stalls;
};

static void step(struct fake *fake)
{
    bool wrong = false;
    fake_write(fake, fake_random(fake, fake->setup.max_run + 1ull), true);
    if (fake->setup.errors && fake_random(fake, 40) == 0)
        fake_break(fake);
    bool all = fake_random(fake, 24) == 0;
    if (fake->pmi) {
        fake->pmis++;
        fake_write(fake, fake_random(fake, fake->setup.max_skid + 1ull), false);
    }
    if (fake_random(fake, 2) == 0)
        wrong = !fake_take(fake);
    if (fake_random(fake, 3) == 0)
        fake_release(fake);
    if (fake->pmi || all || wrong || fake->status || fake->out.scheme->due || fake_random(fake, 16) == 0)
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
    struct result result = {fake->pmis, fake->gaps, fake->overruns, fake->stalls};
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

/* On a part with several regions a single one has no early PMI: each is a stop or a wrap, and is told. */
static void test_single_forced(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct fake_setup setup = setup_of(PT_SCHEME_SINGLE, 5);
        setup.mentry = true, setup.max_skid = 100, setup.stop = seed % 2;
        assert_true(run(&setup, seed).gaps > 0);
    }
}

static void test_range(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct fake_setup setup = setup_of(PT_SCHEME_RANGE, 4 + (uint32_t)seed % 9);
        setup.max_run = 8100; /* half of the smallest range, and the canary */
        assert_int_equal(run(&setup, seed).gaps, 0);
        setup.max_run = 60000;
        assert_true(run(&setup, seed).overruns > 0);
    }
}

static void test_errors(void **state)
{
    unsigned gaps = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct fake_setup setup = setup_of(PT_SCHEME_TOPA + (unsigned)seed % 3, 4 + (uint32_t)seed % 9);
        setup.errors = true, setup.stop = seed % 2, setup.max_skid = 6000;
        gaps += run(&setup, seed).gaps;
    }
    assert_true(gaps > 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_topa_skids),   cmocka_unit_test(test_topa_chained),  cmocka_unit_test(test_single_stop),
        cmocka_unit_test(test_single_wraps), cmocka_unit_test(test_single_forced), cmocka_unit_test(test_range),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
