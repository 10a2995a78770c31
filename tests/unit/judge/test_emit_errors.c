/* Errors as events, events where a trace ends or contradicts itself, and ticks: as ptxed would print them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/unit/judge/emit_fixture.h"

static void errors_come_after_what_was_walked(void **state)
{
    (void)state;
    emit_begin(true);
    PUT(.kind = PT_PACKET_TNT_8, .tnt = 1, .tnt_bits = 1);
    emit_finish(CODE + 2);
    assert_string_equal(EMITTED("\x90\xff\xe0"), "0000000000001000 0000000000001001 "
                                                 "[1c, 1001: error: trace stream does not match query] ");
    emit_begin(true);
    PUT_IP(PT_PACKET_TIP, CODE + 0x100);
    PUT_IP(PT_PACKET_FUP, CODE + 2); /* up to 0x29 */
    PUT(.kind = PT_PACKET_PAD);
    PUT(.kind = PT_PACKET_PAD);
    PUT(.kind = PT_PACKET_TIP_PGD, .ip_bytes = PT_IP_SUPPRESSED);
    assert_string_equal(EMITTED("\x90\xff\xe0"), "0000000000001000 0000000000001001 "
                                                 "[2b, 1100: error: no memory mapped at this address] ");
    emit_begin(true);
    PUT_IP(PT_PACKET_FUP, CODE + 9);
    PUT_IP(PT_PACKET_TIP, CODE);
    assert_string_equal(EMITTED("\x90\xeb\x05"), "0000000000001000 0000000000001001 "
                                                 "[22, 1008: error: no memory mapped at this address] ");
    emit_begin(true);
    PUT_IP(PT_PACKET_FUP, CODE + 9);
    PUT_IP(PT_PACKET_TIP, CODE);
    assert_string_equal(EMITTED("\x90\x48\x8b"),
                        "0000000000001000 [22, 1001: error: unknown instruction] "); /* cut off */
}

/* Of a PSB+ that is not whole nothing is taken: what was before counts. */
static void a_trace_ends_within_a_psb(void **state)
{
    (void)state;
    emit_begin(true);
    emit_trace_size -= 2; /* its PSBEND */
    assert_string_equal(EMITTED(NOPS), "");
    emit_begin(true);
    emit_finish(CODE);
    PUT(.kind = PT_PACKET_PSB);
    PUT_IP(PT_PACKET_FUP, CODE);
    assert_string_equal(EMITTED(NOPS), "[disabled, at: 0000000000001000] ");
    emit_begin(true);
    PUT(.kind = PT_PACKET_PSB);
    PUT_IP(PT_PACKET_FUP, CODE + 1);
    assert_string_equal(EMITTED(NOPS), "0000000000001000 [end of trace] ");
}

/* A PSB+ that says something else than what was before it: an error, whose stretch says nothing. */
static void a_psb_contradicts(void **state)
{
    (void)state;
    for (int round = 0; round < 2; round++, emit_resync = !emit_resync) {
        emit_begin(true);
        PUT_IP(PT_PACKET_FUP, CODE + 2);
        PUT_IP(PT_PACKET_TIP, CODE + 2);
        PUT(.kind = PT_PACKET_PSB); /* at 29H */
        PUT_IP(PT_PACKET_FUP, CODE + 2);
        PUT(.kind = PT_PACKET_MODE_EXEC, .cs_d = true); /* at 40H */
        PUT(.kind = PT_PACKET_PSBEND);
        emit_finish(CODE + 3);
        assert_string_equal(EMITTED(NOPS),
                            emit_resync
                                ? "0000000000001000 0000000000001001 "
                                  "[interrupt, from: 0000000000001002, to: 0000000000001002] "
                                  "[40, 1002: error: bad status update] [40, 1002: resync error: bad status update] "
                                : "0000000000001000 0000000000001001 "
                                  "[interrupt, from: 0000000000001002, to: 0000000000001002] "
                                  "[40, 1002: error: bad status update] ");
        emit_begin(true);
        emit_finish(CODE + 1);
        PUT(.kind = PT_PACKET_PSB); /* at 23H */
        PUT_IP(PT_PACKET_FUP, CODE + 2);
        PUT(.kind = PT_PACKET_PSBEND); /* at 3aH */
        emit_finish(CODE + 3);
        assert_string_equal(EMITTED(NOPS), emit_resync ? "0000000000001000 [disabled, at: 0000000000001001] "
                                                         "[3a, 1001: error: bad status update] 0000000000001002 "
                                                         "[disabled, at: 0000000000001003] "
                                                       : "0000000000001000 [disabled, at: 0000000000001001] "
                                                         "[3a, 1001: error: bad status update] ");
        emit_begin(true);
        PUT(.kind = PT_PACKET_TNT_8, .tnt = 0, .tnt_bits = 1);
        PUT(.kind = PT_PACKET_PSB); /* at 1cH */
        PUT(.kind = PT_PACKET_PSBEND);
        PUT_IP(PT_PACKET_TIP_PGE, CODE + 2);
        emit_finish(CODE + 3);
        assert_string_equal(EMITTED("\x74\x00" NOPS),
                            emit_resync
                                ? "0000000000001000 [2c, 1002: error: bad status update] [disabled] "
                                  "[enabled, ip: 0000000000001002] 0000000000001002 [disabled, at: 0000000000001003] "
                                : "0000000000001000 [2c, 1002: error: bad status update] ");
    }
}

/* After an error no packet gives an IP. */
static void no_ip_to_continue_from(void **state)
{
    (void)state;
    emit_resync = true;
    emit_begin(true);
    PUT(.kind = PT_PACKET_TNT_8, .tnt = 1, .tnt_bits = 1);
    PUT(.kind = PT_PACKET_TNT_8, .tnt = 1, .tnt_bits = 1);
    PUT(.kind = PT_PACKET_TNT_8, .tnt = 1, .tnt_bits = 1);
    assert_string_equal(EMITTED("\x74\x10" NOPS),
                        "0000000000001000 [1d, 1012: error: no memory mapped at this address] "
                        "[1e, 1012: resync error: reached end of trace stream] ");
    emit_resync = false;
}

/* After a gap a PSB+ contradicts nothing. */
static void a_gap_lies_between(void **state)
{
    (void)state;
    emit_begin(true);
    PUT(.kind = PT_PACKET_TNT_8, .tnt = 0, .tnt_bits = 1);
    emit_gap = emit_trace_size;
    PUT(.kind = PT_PACKET_PSB);
    PUT(.kind = PT_PACKET_MODE_EXEC, .cs_d = true);
    PUT(.kind = PT_PACKET_PSBEND);
    PUT_IP(PT_PACKET_TIP_PGE, CODE + 2);
    emit_finish(CODE + 3);
    assert_string_equal(EMITTED("\x74\x00" NOPS), "0000000000001000 [enabled, ip: 0000000000001002] 0000000000001002 "
                                                  "[disabled, at: 0000000000001003] ");
    emit_gap = 0;
}

/* Nothing was executed yet in the PSB's stretch: the instruction before it counts. */
static void an_error_after_a_psb(void **state)
{
    (void)state;
    emit_begin(true);
    emit_finish(CODE + 2);
    PUT(.kind = PT_PACKET_PSB); /* at 23H */
    PUT(.kind = PT_PACKET_PSBEND);
    PUT(.kind = PT_PACKET_TNT_8, .tnt = 0, .tnt_bits = 1);
    assert_string_equal(EMITTED(NOPS), "0000000000001000 0000000000001001 [disabled, at: 0000000000001002] "
                                       "[35, 1002: error: unexpected packet context] ");
}

/* At the first bit of a TNT, and at a TIP that is a branch's. */
static void branches_tick(void **state)
{
    (void)state;
    emit_ticks = true;
    emit_begin(true);
    PUT(.kind = PT_PACKET_TNT_8, .tnt = 2, .tnt_bits = 2);
    PUT_IP(PT_PACKET_TIP, CODE + 8);
    PUT_IP(PT_PACKET_FUP, CODE + 9);
    PUT_IP(PT_PACKET_TIP, CODE + 10);
    emit_finish(CODE + 10);
    assert_string_equal(EMITTED("\x75\x02\x90\x90\x74\x00\xff\xe0" NOPS),
                        "0000000000001000 [tick, ip: 0000000000001004] 0000000000001004 "
                        "0000000000001006 [tick, ip: 0000000000001006] 0000000000001008 "
                        "[interrupt, from: 0000000000001009, to: 000000000000100a] [disabled, at: 000000000000100a] ");
    emit_ticks = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_come_after_what_was_walked),
        cmocka_unit_test(a_trace_ends_within_a_psb),
        cmocka_unit_test(a_psb_contradicts),
        cmocka_unit_test(an_error_after_a_psb),
        cmocka_unit_test(no_ip_to_continue_from),
        cmocka_unit_test(a_gap_lies_between),
        cmocka_unit_test(branches_tick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
