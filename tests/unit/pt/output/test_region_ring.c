/*
 * The region ring against a byte-accurate fake of the output unit: thousands of random runs with skid, merged PMIs,
 * STOP, operational errors, slow releases and partial drains. The invariant: no byte is submitted twice, none is
 * overwritten before it was released, the order is kept, and none is lost unless a gap is reported at that place.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pt/output/plan.h"
#include "pt/rtit.h"

#define TABLE_PA 0x7000000ull
#define REGIONS_PA 0x10000000ull
#define MAX_BYTES (16u * 8192)

struct fake {
    /* memory and registers */
    uint64_t table[REGION_RING_MAX_REGIONS + 1];
    uint64_t stream_at[MAX_BYTES]; /* stream offset + 1 of the byte there; 0: none */
    struct topa_walk walk;
    uint64_t status;
    bool pmi, loaded;
    /* what really happened */
    uint64_t written;  /* bytes written, those counted out by a gap not counted */
    uint64_t lost;     /* bytes that the core produced and no memory took, since the last arm */
    uint64_t received; /* at the receiver, in order */
    uint64_t released;
    /* the code under test and its totals */
    struct region_ring ring;
    unsigned pmis, gaps, stalls;
    uint64_t seed;
};

static uint64_t random_below(struct fake *fake, uint64_t bound)
{
    fake->seed ^= fake->seed << 13;
    fake->seed ^= fake->seed >> 7;
    fake->seed ^= fake->seed << 17;
    return fake->seed % bound;
}

static uint64_t read_entry(void *context, uint64_t pa)
{
    struct fake *fake = context;
    assert_in_range(pa, TABLE_PA, TABLE_PA + 8ull * fake->ring.nr_regions);
    return fake->table[(pa - TABLE_PA) / 8];
}

/* The hardware writes one byte, or loses it. */
static void write_byte(struct fake *fake)
{
    if (fake->status & (RTIT_STATUS_STOPPED | RTIT_STATUS_ERROR)) {
        fake->lost++;
        return;
    }
    if (!fake->loaded) {
        assert_int_equal(topa_walk_load(&fake->walk, read_entry, fake, 39, false), TOPA_OK);
        fake->loaded = true;
    }
    uint64_t place = topa_walk_pa(&fake->walk) - REGIONS_PA;
    assert_in_range(place, 0, MAX_BYTES - 1);
    assert_true(fake->stream_at[place] <= fake->released); /* not yet released: never overwritten */
    fake->stream_at[place] = ++fake->written;
    unsigned events = topa_walk_advance(&fake->walk, 1);
    if (events & TOPA_FILLED)
        fake->loaded = false;
    if (events & TOPA_FILLED_STOP)
        fake->status |= RTIT_STATUS_STOPPED;
    if (events & TOPA_FILLED_INT)
        fake->pmi = true;
}

/* The receiver checks that what it gets is the next run of the stream. */
static void receive(struct fake *fake, const struct region_span *span)
{
    assert_int_equal(span->offset, fake->received);
    assert_true(span->memory_offset + span->size <= (uint64_t)fake->ring.region_bytes * fake->ring.nr_regions);
    for (uint32_t i = 0; i < span->size; i++)
        assert_int_equal(fake->stream_at[span->memory_offset + i], span->offset + i + 1);
    fake->received += span->size;
}

static void release_some(struct fake *fake)
{
    fake->released += random_below(fake, fake->received - fake->released + 1);
}

/* An operational error: Error is set, the pointers may be anything. */
static void break_hardware(struct fake *fake)
{
    fake->status |= RTIT_STATUS_ERROR;
    switch (random_below(fake, 3)) {
    case 0:
        fake->walk.ptrs.table_pa ^= 0x5000;
        break;
    case 1:
        fake->walk.ptrs.offset = 0x7fffffff;
        break;
    default:
        break; /* the pointers are as they were */
    }
    fake->table[random_below(fake, fake->ring.nr_regions + 1)] ^= 0x2;
}

static void apply_rearm(struct fake *fake, const struct plan_rearm *plan)
{
    assert_true(plan->nr_entries <= PLAN_MAX_ENTRIES);
    for (uint32_t i = 0; i < plan->nr_entries; i++)
        fake->table[plan->entries[i].index] = plan->entries[i].value;
    for (uint32_t i = 0; plan->rewrite_table && i <= fake->ring.nr_regions; i++)
        fake->table[i] = region_ring_entry(&fake->ring, i);
    if (plan->write_ptrs)
        fake->walk.ptrs = topa_ptrs_unpack(TABLE_PA, plan->output_mask_ptrs);
    fake->status = plan->rtit_status;
    fake->loaded = false;
    /* The table is as it should be: one STOP, not on the region in use nor so near that skid reaches it. */
    unsigned stops = 0;
    for (uint32_t i = 0; i <= fake->ring.nr_regions; i++) {
        assert_int_equal(fake->table[i], region_ring_entry(&fake->ring, i));
        stops += (fake->table[i] & TOPA_STOP) != 0;
    }
    assert_int_equal(stops, 1);
    assert_true(fake->ring.limit - fake->ring.written > fake->ring.region_bytes);
}

static void drain(struct fake *fake, bool all)
{
    struct plan_snapshot snapshot = {.rtit_status = fake->status,
                                     .output_base = fake->walk.ptrs.table_pa,
                                     .output_mask_ptrs = topa_ptrs_pack(fake->walk.ptrs),
                                     .all = all};
    struct plan_drain plan = plan_drain(&fake->ring, &snapshot);
    struct region_span span;
    fake->pmi = false;
    while (region_ring_next_span(&fake->ring, plan.submit_end, &span))
        receive(fake, &span);
    if (fake->lost != 0)
        assert_int_not_equal(plan.gap, PLAN_NO_GAP);
    if (plan.gap != PLAN_NO_GAP) {
        fake->gaps++;
        assert_int_equal(plan.gap_at, fake->ring.written);
        if (plan.gap == PLAN_GAP_ERROR) { /* the bytes after the gap are lost with it */
            assert_true(fake->ring.written <= fake->written);
            for (uint64_t i = 0; i < MAX_BYTES; i++)
                if (fake->stream_at[i] > fake->ring.written)
                    fake->stream_at[i] = 0;
            fake->written = fake->ring.written;
        }
        fake->lost = 0;
    }
    assert_int_equal(fake->ring.written, fake->written);
    if (all)
        assert_int_equal(fake->received, fake->written);
    struct plan_rearm rearm = plan_rearm(&fake->ring, &plan, &snapshot, fake->released);
    while (rearm.stall) {
        fake->stalls++;
        release_some(fake);
        rearm = plan_rearm(&fake->ring, &plan, &snapshot, fake->released);
    }
    apply_rearm(fake, &rearm);
}

static struct fake *fake_make(uint32_t region_bytes, uint32_t nr_regions, uint64_t seed)
{
    struct fake *fake = test_calloc(1, sizeof(*fake));
    fake->seed = seed;
    fake->ring = region_ring_make(TABLE_PA, REGIONS_PA, region_bytes, nr_regions);
    for (uint32_t i = 0; i <= nr_regions; i++)
        fake->table[i] = region_ring_entry(&fake->ring, i);
    fake->walk.ptrs.table_pa = TABLE_PA;
    return fake;
}

/* max_skid: bytes that may be written between the PMI and the exit it causes. */
static void simulate(uint32_t region_bytes, uint32_t nr_regions, uint32_t max_skid, bool errors, uint64_t seed)
{
    struct fake *fake = fake_make(region_bytes, nr_regions, seed);
    for (unsigned step = 0; step < 400; step++) {
        uint64_t bytes = random_below(fake, 2 * region_bytes);
        while (bytes-- && !fake->pmi)
            write_byte(fake);
        if (errors && random_below(fake, 40) == 0)
            break_hardware(fake);
        bool all = random_below(fake, 16) == 0;
        bool polled = random_below(fake, 16) == 0;
        if (fake->pmi) {
            fake->pmis++;
            for (uint64_t skid = random_below(fake, max_skid + 1ull); skid > 0; skid--)
                write_byte(fake);
        }
        if (random_below(fake, 3) == 0)
            release_some(fake);
        if (fake->pmi || all || polled || fake->status)
            drain(fake, all);
    }
    drain(fake, true);
    assert_true(fake->pmis > 50);
    if (max_skid < region_bytes && !errors)
        assert_int_equal(fake->gaps, 0);
    else if (max_skid > 4 * region_bytes || errors)
        assert_true(fake->gaps > 0);
    test_free(fake);
}

static void test_skid_within_a_region(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++)
        for (uint32_t nr_regions = 4; nr_regions <= 16; nr_regions *= 2)
            simulate(4096, nr_regions, (uint32_t)(seed * 4095 / 20), false, seed * 0x9e3779b97f4a7c15);
}

static void test_skid_beyond(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        simulate(4096, 4, 5 * 4096, false, seed * 0x9e3779b97f4a7c15);
        simulate(8192, 7, 9 * 8192, false, seed * 0x9e3779b97f4a7c15);
    }
}

static void test_errors(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++)
        simulate(4096, 4 + (uint32_t)seed % 5, 6000, true, seed * 0xda942042e4dd58b5);
}

/* Nothing released, the guest runs until the hardware stops at the STOP region's last byte: once around, exactly. */
static void test_once_around(void **state)
{
    (void)state;
    struct fake *fake = fake_make(4096, 5, 1);
    for (unsigned i = 0; i < 5 * 4096; i++)
        write_byte(fake);
    assert_int_equal(fake->status, RTIT_STATUS_STOPPED);
    assert_int_equal(fake->walk.ptrs.index, 4);
    assert_int_equal(fake->walk.ptrs.offset, 4096);
    write_byte(fake);
    drain(fake, false);
    assert_int_equal(fake->received, 5 * 4096);
    assert_int_equal(fake->gaps, 1);
    assert_true(fake->stalls > 0);
    test_free(fake);
}

static void test_sizes(void **state)
{
    (void)state;
    assert_true(region_ring_size_valid(4096, 4));
    assert_true(region_ring_size_valid(128 << 20, 128));
    assert_false(region_ring_size_valid(4096, 3));
    assert_false(region_ring_size_valid(4096, 4097));
    assert_false(region_ring_size_valid(6144, 8));
    /* The largest ring is 16 GiB: spans stay within their 32 bits. */
    struct region_ring ring = region_ring_make(TABLE_PA, 0x400000000, 128 << 20, 128);
    struct region_span span;
    ring.written = 127ull << 27;
    uint64_t total = 0;
    while (region_ring_next_span(&ring, region_ring_whole_end(&ring), &span)) {
        assert_int_equal(span.offset, total);
        assert_in_range(span.size, 1, REGION_RING_MAX_SPAN_BYTES);
        total += span.size;
    }
    assert_int_equal(total, ring.written);
    assert_int_equal(region_ring_entry(&ring, 127), 0x400000000 + (127ull << 27) + (15 << 6) + TOPA_INT + TOPA_STOP);
    assert_int_equal(region_ring_entry(&ring, 128), TABLE_PA | TOPA_END);
}

static void test_release_is_checked(void **state)
{
    (void)state;
    struct region_ring ring = region_ring_make(TABLE_PA, REGIONS_PA, 4096, 4);
    ring.written = 8192, ring.submitted = 4096;
    region_ring_release(&ring, 4097);
    assert_int_equal(ring.released, 0);
    region_ring_release(&ring, 4096);
    assert_int_equal(ring.released, 4096);
    region_ring_release(&ring, 100);
    assert_int_equal(ring.released, 4096);
}

/* Policy ring: two regions less than there are, and what came since, are kept; the hardware always has room. */
static void test_forgetting_keeps_the_newest(void **state)
{
    (void)state;
    struct region_ring ring = region_ring_make(TABLE_PA, REGIONS_PA, 4096, 6);
    for (uint64_t written = 0; written < 100 * 4096; written += 1000) {
        ring.written = written;
        region_ring_drop_oldest(&ring);
        assert_true(region_ring_arm(&ring));
        assert_true(ring.limit - written >= 4096);
        assert_int_equal(ring.submitted, ring.released);
        assert_int_equal(ring.submitted % 4096, 0);
        uint64_t kept = written - ring.submitted;
        assert_true(kept == written || (kept >= 4 * 4096 && kept < 5 * 4096));
    }
}

static void test_nothing_on_its_way_is_forgotten(void **state)
{
    (void)state;
    struct region_ring ring = region_ring_make(TABLE_PA, REGIONS_PA, 4096, 6);
    ring.submitted = 2 * 4096 + 100; /* a snapshot, not yet acknowledged */
    ring.written = 20 * 4096;
    region_ring_drop_oldest(&ring);
    assert_int_equal(ring.submitted, 2 * 4096 + 100);
    assert_int_equal(ring.released, 0);
    assert_false(region_ring_arm(&ring));
    region_ring_release(&ring, 2 * 4096 + 100);
    region_ring_drop_oldest(&ring);
    assert_int_equal(ring.submitted, 16 * 4096);
    assert_true(region_ring_arm(&ring));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_skid_within_a_region),
        cmocka_unit_test(test_skid_beyond),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_once_around),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_release_is_checked),
        cmocka_unit_test(test_forgetting_keeps_the_newest),
        cmocka_unit_test(test_nothing_on_its_way_is_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
