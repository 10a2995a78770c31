/* The clock and its calibration as ptdump reckons them: tests/judge/text/dump_time.h. The numbers are reckoned by hand
 * from the manual's rules: SDM "Tracking Time". */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/judge/text/dump_time.h"

#define BY_FOUR                                                                                                        \
    {                                                                                                                  \
        .numerator = 4, .denominator = 1, .calibrated = true                                                           \
    }

static struct dump_time_errors take(struct dump_time *time, enum packet_kind kind, uint64_t payload)
{
    return dump_time_take(time, &(struct packet){.kind = kind, .payload = payload});
}

static void take_tma(struct dump_time *time, uint16_t ctc, uint16_t fc)
{
    const struct packet packet = {.kind = PT_PACKET_TMA, .tma_ctc = ctc, .tma_fc = fc};
    assert_int_equal(dump_time_take(time, &packet).clock, DUMP_TIME_OK);
}

static void take_good(struct dump_time *time, enum packet_kind kind, uint64_t payload)
{
    const struct dump_time_errors errors = take(time, kind, payload);
    assert_int_equal(errors.clock, DUMP_TIME_OK);
    assert_int_equal(errors.calibration, DUMP_TIME_OK);
    assert_false(errors.cycles_lost);
}

/* MTC counts eighths of a tick of the crystal's at MTCFreq 3; four ticks of the TSC are one of the crystal's. */
static void mtc_counts_on(void **state)
{
    (void)state;
    struct dump_time_setup setup = BY_FOUR;
    struct dump_time time;
    setup.mtc_freq = 3;
    dump_time_begin(&time, &setup);
    take_good(&time, PT_PACKET_TSC, 0x10000);
    take_tma(&time, 0x1234, 5); /* the crystal's tick was 5 ticks of the TSC before */
    take_good(&time, PT_PACKET_MTC, 0x47);
    assert_int_equal(time.tsc, 0x10000 - 5 + (0x238 - 0x234) * 4);
    take_good(&time, PT_PACKET_MTC, 0x49);
    assert_int_equal(time.tsc, 0x10000 - 5 + (0x248 - 0x234) * 4);
    take_good(&time, PT_PACKET_MTC, 0x10); /* it has wrapped */
    assert_int_equal(time.tsc, 0x10000 - 5 + (0x880 - 0x234) * 4);
}

/* Where MTC has bits that TMA has not, the first one places TMA just before. */
static void mtc_has_more_bits_than_tma(void **state)
{
    (void)state;
    struct dump_time_setup setup = BY_FOUR;
    struct dump_time time;
    setup.mtc_freq = 12;
    dump_time_begin(&time, &setup);
    take_good(&time, PT_PACKET_TSC, 0x10000);
    take_tma(&time, 0xf000, 0);
    take_good(&time, PT_PACKET_MTC, 0x21);
    assert_int_equal(time.tsc, 0x10000 + (0x21000 - 0x1f000) * 4);
}

/* 1024 cycles between two MTCs that are 16 ticks of the crystal, 64 of the TSC, apart: a sixteenth of a tick each. */
static void cycles_by_mtc(void **state)
{
    (void)state;
    struct dump_time_setup setup = BY_FOUR;
    struct dump_time time;
    uint64_t cycle;
    setup.mtc_freq = 4;
    dump_time_begin(&time, &setup);
    take_good(&time, PT_PACKET_TSC, 0x1000);
    take_tma(&time, 0x10, 0);
    take_good(&time, PT_PACKET_MTC, 2);
    assert_false(dump_time_cycle(&time, &cycle));
    struct dump_time_errors errors = take(&time, PT_PACKET_CYC, 1024);
    assert_int_equal(errors.uncalibrated, DUMP_TIME_NONE);
    assert_true(errors.cycles_lost);
    assert_int_equal(time.tsc, 0x1040);
    take_good(&time, PT_PACKET_MTC, 3);
    assert_true(dump_time_cycle(&time, &cycle));
    assert_int_equal(cycle, DUMP_TIME_ONE / 16);
    take_good(&time, PT_PACKET_CYC, 160);
    assert_int_equal(time.tsc, 0x1080 + 10);
    take_good(&time, PT_PACKET_CYC, 16);
    assert_int_equal(time.tsc, 0x1080 + 11);
    take(&time, PT_PACKET_OVF, 0);
    assert_false(dump_time_cycle(&time, &cycle));
}

/* A CYC that counts since some MTCs ago: what belongs before the last one is not of this period. */
static void cycles_of_several_periods(void **state)
{
    (void)state;
    struct dump_time_setup setup = BY_FOUR;
    struct dump_time time;
    setup.nom_freq = 32;
    dump_time_begin(&time, &setup);
    take_good(&time, PT_PACKET_PSB, 0);
    take_good(&time, PT_PACKET_CBR, 16); /* a cycle is two ticks */
    take_good(&time, PT_PACKET_PSBEND, 0);
    take_good(&time, PT_PACKET_TSC, 0x1000);
    take_tma(&time, 1, 0);
    take_good(&time, PT_PACKET_MTC, 2);
    take_good(&time, PT_PACKET_CYC, 1);
    take_good(&time, PT_PACKET_MTC, 3);
    take_good(&time, PT_PACKET_MTC, 4);
    take_good(&time, PT_PACKET_MTC, 5);
    assert_int_equal(time.tsc, 0x1010);
    take_good(&time, PT_PACKET_CYC, 7); /* a cycle is four ticks by now: four were the sixteen since TMA */
    assert_int_equal(time.tsc, 0x1010 + 3 * 4);
}

/* Of two PSB+, if there is no MTC; a TSC between them spoils it. */
static void cycles_by_tsc(void **state)
{
    (void)state;
    const struct dump_time_setup setup = BY_FOUR;
    struct dump_time time;
    uint64_t cycle;
    dump_time_begin(&time, &setup);
    take_good(&time, PT_PACKET_PSB, 0);
    take_good(&time, PT_PACKET_TSC, 1000);
    take_good(&time, PT_PACKET_PSBEND, 0);
    take(&time, PT_PACKET_CYC, 500);
    take_good(&time, PT_PACKET_TSC, 3000);
    assert_false(dump_time_cycle(&time, &cycle));
    take(&time, PT_PACKET_CYC, 500);
    take_good(&time, PT_PACKET_PSB, 0);
    take_good(&time, PT_PACKET_TSC, 4500);
    assert_true(dump_time_cycle(&time, &cycle));
    assert_int_equal(cycle, 3 * DUMP_TIME_ONE);
}

static void errors_are_said(void **state)
{
    (void)state;
    struct dump_time_setup setup = {.calibrated = true, .nom_freq = 10};
    struct dump_time time;
    const struct packet tma = {.kind = PT_PACKET_TMA};
    dump_time_begin(&time, &setup);
    assert_int_equal(dump_time_take(&time, &tma).clock, DUMP_TIME_CONTEXT);
    take_good(&time, PT_PACKET_TSC, 1);
    assert_int_equal(dump_time_take(&time, &tma).clock, DUMP_TIME_OK);
    assert_int_equal(dump_time_take(&time, &tma).clock, DUMP_TIME_CONTEXT);
    assert_int_equal(take(&time, PT_PACKET_MTC, 1).clock, DUMP_TIME_CONFIG); /* its frequency is not known */
    const struct dump_time_errors errors = take(&time, PT_PACKET_CBR, 0);
    assert_int_equal(errors.clock, DUMP_TIME_PACKET);
    assert_int_equal(errors.calibration, DUMP_TIME_PACKET);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mtc_counts_on), cmocka_unit_test(mtc_has_more_bits_than_tma),
        cmocka_unit_test(cycles_by_mtc), cmocka_unit_test(cycles_of_several_periods),
        cmocka_unit_test(cycles_by_tsc), cmocka_unit_test(errors_are_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
