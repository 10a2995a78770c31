/* The TSC by timing packets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "decode/engine/clock.h"

static void take(struct engine_clock *clock, enum packet_kind kind, uint64_t payload)
{
    engine_clock_take(clock, &(struct packet){.kind = kind, .payload = payload});
}

static void take_tma(struct engine_clock *clock, uint16_t ctc, uint16_t fc)
{
    engine_clock_take(clock, &(struct packet){.kind = PT_PACKET_TMA, .tma_ctc = ctc, .tma_fc = fc});
}

static void tsc_sets_it(void **state)
{
    struct engine_clock clock;
    (void)state;
    engine_clock_begin(&clock, 0, 0, 0);
    assert_int_equal(clock.tsc, 0);
    assert_true(engine_clock_take(&clock, &(struct packet){.kind = PT_PACKET_TSC, .tsc = 1000}));
    assert_int_equal(clock.tsc, 1000);
    take_tma(&clock, 5, 7);
    take(&clock, PT_PACKET_MTC, 9); /* the ratio is not known */
    assert_int_equal(clock.tsc, 1000);
    assert_false(engine_clock_take(&clock, &(struct packet){.kind = PT_PACKET_PAD}));
}

/* 146 ticks of the TSC are one of the crystal, as of the emulated CPU. */
static void mtc_counts_the_crystal(void **state)
{
    struct engine_clock clock;
    (void)state;
    engine_clock_begin(&clock, 292, 2, 3);
    take(&clock, PT_PACKET_TSC, 100000);
    take_tma(&clock, 0x1234, 40);                    /* 5 ticks past a multiple of 8: 0x1234 is 4 past, fc 40 */
    take(&clock, PT_PACKET_MTC, 0x1238 >> 3 & 0xff); /* the crystal's count is 0x1238 */
    assert_int_equal(clock.tsc, 100000 - 40 + 4 * 146);
    take(&clock, PT_PACKET_MTC, 0x1248 >> 3 & 0xff); /* one was lost */
    assert_int_equal(clock.tsc, 100000 - 40 + 20 * 146);
}

static void mtc_goes_round(void **state)
{
    struct engine_clock clock;
    (void)state;
    engine_clock_begin(&clock, 10, 1, 0);
    take(&clock, PT_PACKET_TSC, 50000);
    take_tma(&clock, 0xfffe, 0);
    for (unsigned i = 1; i <= 600; i++)
        take(&clock, PT_PACKET_MTC, (0xfffe + i) & 0xff);
    assert_int_equal(clock.tsc, 50000 + 6000);
}

/* MTCFreq 12: of TMA's 16 bits, four count; MTC's other four are not known. */
static void slow_mtc_begins_at_the_next_one(void **state)
{
    struct engine_clock clock;
    (void)state;
    engine_clock_begin(&clock, 3, 1, 12);
    take(&clock, PT_PACKET_TSC, 7000000);
    take_tma(&clock, 0x5ff0, 0); /* 16 ticks before a multiple of 4,096 */
    take(&clock, PT_PACKET_MTC, 0xa6);
    assert_int_equal(clock.tsc, 7000000 + 3 * 16);
    take(&clock, PT_PACKET_MTC, 0xa7);
    assert_int_equal(clock.tsc, 7000000 + 3 * (16 + 4096));
    take(&clock, PT_PACKET_MTC, 0xa9);
    assert_int_equal(clock.tsc, 7000000 + 3 * (16 + 3 * 4096));
}

/* Cycles are as long as between the last two MTCs: a core at half the TSC's frequency. */
static void cycles_are_measured_between_anchors(void **state)
{
    struct engine_clock clock;
    (void)state;
    engine_clock_begin(&clock, 100, 1, 0);
    take(&clock, PT_PACKET_TSC, 1000);
    take_tma(&clock, 0, 0);
    take(&clock, PT_PACKET_CYC, 10);
    assert_int_equal(clock.tsc, 1010); /* nothing is known yet */
    take(&clock, PT_PACKET_MTC, 1);
    assert_int_equal(clock.tsc, 1100);
    take(&clock, PT_PACKET_CYC, 20);
    take(&clock, PT_PACKET_CYC, 30);
    take(&clock, PT_PACKET_MTC, 2);
    assert_int_equal(clock.tsc, 1200);
    take(&clock, PT_PACKET_CYC, 25);
    assert_int_equal(clock.tsc, 1250);
}

/* Between them the core was halted: that is not a measure of its cycles. */
static void a_halt_does_not_make_cycles_long(void **state)
{
    struct engine_clock clock;
    (void)state;
    engine_clock_begin(&clock, 100, 1, 0);
    take(&clock, PT_PACKET_TSC, 1000);
    take_tma(&clock, 0, 0);
    take(&clock, PT_PACKET_MTC, 1);
    take(&clock, PT_PACKET_CYC, 2);
    take(&clock, PT_PACKET_MTC, 2);
    take(&clock, PT_PACKET_CYC, 7);
    assert_int_equal(clock.tsc, 1207);
}

/* A clock that has taken CBR, TSC and TMA: its bounds follow from the next packets (bytes) and end_tsc. */
static struct engine_clock begin_bounded(uint8_t nominal_ratio, uint8_t ratio)
{
    struct engine_clock clock;
    engine_clock_begin(&clock, 100, 1, 0);
    clock.nominal_ratio = nominal_ratio;
    if (ratio)
        take(&clock, PT_PACKET_CBR, ratio);
    take(&clock, PT_PACKET_TSC, 1000);
    take_tma(&clock, 0, 0);
    return clock;
}

static void next_anchor_bounds(void **state)
{
    static const uint8_t bytes[] = {0x06, 0x06, 0x59, 0x02, 0x06}; /* TNT, TNT, MTC: the tick after the next; TNT */
    struct engine_clock clock = begin_bounded(0, 0);
    (void)state;
    assert_true(clock.high == ENGINE_CLOCK_NEVER);
    engine_clock_bound(&clock, bytes, bytes + sizeof(bytes), 0);
    assert_in_range(clock.low, 990, 1000);
    assert_in_range(clock.high, 1200, 1240); /* it may come some ticks late */
    take(&clock, PT_PACKET_MTC, 2);
    engine_clock_bound(&clock, bytes + 4, bytes + sizeof(bytes), 0);
    assert_in_range(clock.low, 1190, 1200);
    assert_true(clock.high == ENGINE_CLOCK_NEVER); /* nothing follows */
    clock = begin_bounded(0, 0);
    engine_clock_bound(&clock, bytes, bytes + 2, 5000);
    assert_in_range(clock.high, 5000, 5002);
}

/* The guest writes the TSC between two TSC packets: each is converted by its own offset. */
static void a_written_tsc_is_converted(void **state)
{
    static const uint8_t trace[] = {0x19, 0xe8, 0x03, 0, 0, 0, 0, 0, 0x06, 0x19, 0x88, 0x13, 0, 0, 0, 0, 0};
    struct cpu_clock_step steps[] = {{0, 100, 0, false}, {9, 4000, 0, true}};
    const struct cpu_clock cpu = {steps, 2, 2};
    struct engine_clock clock;
    struct packet packet;
    (void)state;
    engine_clock_begin(&clock, 0, 0, 0);
    clock.cpu = &cpu;
    clock.trace = trace;
    assert_int_equal(packet_parse(&packet, trace, sizeof(trace)), 8);
    engine_clock_convert(&clock, &packet, trace);
    engine_clock_take(&clock, &packet);
    assert_int_equal(clock.tsc, 900);
    engine_clock_bound(&clock, trace + 8, trace + sizeof(trace), 0);
    assert_in_range(clock.high, 1000, 1002);
}

/* 40 cycles at least as long as three quarters of a tick, as the ratio is; then 60 up to the MTC at 1,100. */
static void cycles_narrow_it(void **state)
{
    static const uint8_t all[] = {0x47, 0x02, 0x06, 0xe7, 0x02, 0x06, 0x59, 0x01}; /* CYC, TNT, CYC, TNT, MTC */
    struct packet packet;
    (void)state;
    for (unsigned known = 0; known < 2; known++) {
        struct engine_clock clock = begin_bounded(known ? 30 : 0, 40);
        engine_clock_bound(&clock, all, all + sizeof(all), 0);
        const int size = packet_parse(&packet, all, sizeof(all));
        assert_int_equal(packet.kind, PT_PACKET_CYC);
        assert_int_equal(packet.cyc, 40);
        engine_clock_take(&clock, &packet);
        engine_clock_bound(&clock, all + size, all + sizeof(all), 0);
        assert_in_range(clock.low, known ? 1026 : 990, known ? 1030 : 1000);
        assert_in_range(clock.high, 1100, 1140);
    }
}

/* MTCs that were lost in an overflow: the next one may have gone round. */
static void overflow_leaves_only_tsc(void **state)
{
    static const uint8_t bytes[] = {0x06, 0x02, 0xf3, 0x59, 0x02, 0x06, 0x19, 0x70, 0x17, 0, 0, 0, 0, 0};
    struct engine_clock clock = begin_bounded(0, 0);
    (void)state;
    engine_clock_bound(&clock, bytes, bytes + sizeof(bytes), 9000);
    assert_in_range(clock.high, 6000, 6002);
    engine_clock_overflow(&clock);
    take(&clock, PT_PACKET_MTC, 2);
    engine_clock_bound(&clock, bytes + 5, bytes + sizeof(bytes), 9000);
    assert_in_range(clock.low, 1190, 1200);
    assert_in_range(clock.high, 6000, 6002);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tsc_sets_it),
        cmocka_unit_test(mtc_counts_the_crystal),
        cmocka_unit_test(mtc_goes_round),
        cmocka_unit_test(slow_mtc_begins_at_the_next_one),
        cmocka_unit_test(cycles_are_measured_between_anchors),
        cmocka_unit_test(next_anchor_bounds),
        cmocka_unit_test(a_written_tsc_is_converted),
        cmocka_unit_test(cycles_narrow_it),
        cmocka_unit_test(overflow_leaves_only_tsc),
        cmocka_unit_test(a_halt_does_not_make_cycles_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
