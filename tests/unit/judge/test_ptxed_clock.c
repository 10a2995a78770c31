/* The time of events, as ptxed prints it: from packet to packet, advanced by CYCs with CBR's ratio, reset after an
 * error. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/judge/text/ptxed_clock.h"

static uint8_t trace[128];
static size_t size;

/* Returns its offset. */
static size_t put(struct packet packet)
{
    const size_t at = size;
    size += packet_encode(trace + size, &packet);
    return at;
}

#define PUT(...) put((struct packet){__VA_ARGS__})
#define PUT_CYC(cycles) PUT(.kind = PT_PACKET_CYC, .cyc = (cycles))
#define PUT_TNT() PUT(.kind = PT_PACKET_TNT_8, .tnt = 1, .tnt_bits = 1)

/* Returns the offset of its PSBEND. */
static size_t put_psb(uint64_t tsc)
{
    PUT(.kind = PT_PACKET_PSB);
    PUT(.kind = PT_PACKET_TSC, .tsc = tsc);
    PUT(.kind = PT_PACKET_CBR, .payload = 2);
    return PUT(.kind = PT_PACKET_PSBEND);
}

static struct ptxed_clock clock_of(uint8_t nominal_ratio)
{
    static struct flow_input input;
    struct ptxed_clock clock;
    input = (struct flow_input){.trace = trace, .trace_size = size, .nominal_ratio = nominal_ratio};
    ptxed_clock_begin(&clock, &input, (struct dump_time_setup){.kept_on_overflow = false});
    ptxed_clock_stretch(&clock, 0, false);
    return clock;
}

static void assert_event(struct ptxed_clock *clock, size_t at, uint64_t tsc, bool later)
{
    struct flow_event event = {.at = at};
    assert_int_equal(ptxed_clock_event(clock, &event), later);
    assert_int_equal(event.tsc, tsc);
}

/* The core runs at half the frequency of the TSC: each cycle takes two of its ticks. */
static void cycles_are_counted(void **state)
{
    (void)state;
    size = 0;
    const size_t psbend = put_psb(0xa000);
    const size_t first = PUT_TNT();
    PUT_CYC(4);
    const size_t second = PUT_TNT(), third = PUT_TNT();
    struct ptxed_clock clock = clock_of(4);
    assert_event(&clock, psbend, 0xa000, true);
    assert_event(&clock, first, 0xa000, false);
    assert_event(&clock, second, 0xa008, true);
    assert_event(&clock, third, 0xa008, false);
}

static void without_nominal_ratio_cycles_are_not_used(void **state)
{
    (void)state;
    size = 0;
    const size_t psbend = put_psb(0xa000);
    PUT_CYC(4);
    const size_t at = PUT_TNT();
    struct ptxed_clock clock = clock_of(0);
    assert_event(&clock, psbend, 0xa000, true);
    assert_event(&clock, at, 0xa000, false);
}

/* Packets between events count for those of the next stretch; after an error they do not. */
static void a_stretch_after_an_error_starts_afresh(void **state)
{
    (void)state;
    size = 0;
    put_psb(0xa000);
    const size_t before = PUT_TNT();
    PUT_CYC(4);
    const size_t psb = PUT(.kind = PT_PACKET_PSB);
    PUT(.kind = PT_PACKET_PSBEND);
    const size_t after = PUT_TNT();
    struct ptxed_clock clock = clock_of(4);
    assert_event(&clock, before, 0xa000, true);
    struct ptxed_clock failed = clock;
    ptxed_clock_stretch(&clock, psb, false);
    assert_event(&clock, after, 0xa008, true);
    ptxed_clock_stretch(&failed, psb, true);
    assert_event(&failed, after, 0, false);
}

/* What was taken ahead, as the walk to a PSB needs it, is not taken again. */
static void a_psb_is_taken_once(void **state)
{
    (void)state;
    size = 0;
    put_psb(0xa000);
    const size_t psb = PUT(.kind = PT_PACKET_PSB);
    PUT_CYC(4);
    const size_t psbend = PUT(.kind = PT_PACKET_PSBEND), after = PUT_TNT();
    struct ptxed_clock clock = clock_of(4);
    assert_event(&clock, psbend, 0xa008, true);
    ptxed_clock_stretch(&clock, psb, false);
    assert_event(&clock, after, 0xa008, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cycles_are_counted),
        cmocka_unit_test(without_nominal_ratio_cycles_are_not_used),
        cmocka_unit_test(a_psb_is_taken_once),
        cmocka_unit_test(a_stretch_after_an_error_starts_afresh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
