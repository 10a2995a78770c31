/* Events among instructions: where packets bind them. Each case is a trace, and its events as ptxed would
 * print it. SDM "Packet Definitions", Table "Compound Packet Event Summary". */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/unit/judge/emit_fixture.h"

static void an_interrupt_with_its_space(void **state)
{
    (void)state;
    emit_begin(true);
    PUT_IP(PT_PACKET_FUP, CODE + 1);
    PUT(.kind = PT_PACKET_PIP, .cr3 = 0x5000);
    PUT(.kind = PT_PACKET_VMCS, .vmcs = 0x7000);
    PUT_IP(PT_PACKET_TIP, CODE + 4);
    emit_finish(CODE + 5);
    assert_string_equal(EMITTED(NOPS), "0000000000001000 "
                                       "[interrupt, from: 0000000000001001, to: 0000000000001004] "
                                       "[vmcs, base: 0000000000007000, ip: 0000000000001004] "
                                       "[paging, cr3: 0000000000005000, ip: 0000000000001004] "
                                       "0000000000001004 [disabled, at: 0000000000001005] ");
}

static void ptwrite_comes_after_its_instruction(void **state)
{
    (void)state;
    emit_begin(true);
    PUT(.kind = PT_PACKET_PTW, .payload = 0xab, .ptw_bytes = 4);
    PUT(.kind = PT_PACKET_PTW, .payload = 0xcd, .ptw_bytes = 4, .fup_follows = true);
    PUT_IP(PT_PACKET_FUP, CODE + 5);
    emit_finish(CODE + 9);
    assert_string_equal(EMITTED("\x90\xf3\x0f\xae\xe0\xf3\x0f\xae\xe0\x90"),
                        "0000000000001000 0000000000001001 [ptwrite: ab] "
                        "0000000000001005 [ptwrite: cd, ip: 0000000000001005] [disabled, at: 0000000000001009] ");
}

static void a_transaction(void **state)
{
    (void)state;
    emit_begin(true);
    PUT(.kind = PT_PACKET_MODE_TSX, .in_tx = true);
    PUT_IP(PT_PACKET_FUP, CODE + 1);
    PUT(.kind = PT_PACKET_MODE_TSX, .tx_abort = true);
    PUT_IP(PT_PACKET_FUP, CODE + 2);
    PUT_IP(PT_PACKET_TIP, CODE + 4);
    emit_finish(CODE + 4);
    assert_string_equal(EMITTED(NOPS), "0000000000001000 [begin transaction, ip: 0000000000001001] 0000000000001001 "
                                       "[aborted, ip: 0000000000001002] "
                                       "[interrupt, from: 0000000000001002, to: 0000000000001004] "
                                       "[disabled, at: 0000000000001004] ");
}

static void an_overflow_waits_for_its_fup(void **state)
{
    (void)state;
    emit_begin(true);
    PUT(.kind = PT_PACKET_OVF);
    PUT(.kind = PT_PACKET_CBR, .payload = 0x20);
    PUT_IP(PT_PACKET_FUP, CODE + 3);
    PUT(.kind = PT_PACKET_OVF);
    PUT_IP(PT_PACKET_TIP_PGE, CODE + 4);
    emit_finish(CODE + 5);
    assert_string_equal(EMITTED(NOPS), "[cbr: 20] [overflow, ip: 0000000000001003] [overflow] "
                                       "[enabled, ip: 0000000000001004] 0000000000001004 "
                                       "[disabled, at: 0000000000001005] ");
}

static void power(void **state)
{
    (void)state;
    emit_begin(true);
    PUT(.kind = PT_PACKET_MWAIT, .payload = 0x100000005);
    PUT(.kind = PT_PACKET_PWRE, .payload = 0x0080);
    PUT(.kind = PT_PACKET_EXSTOP, .fup_follows = true);
    PUT_IP(PT_PACKET_FUP, CODE + 1);
    PUT(.kind = PT_PACKET_PWRX, .payload = 0x812);
    emit_finish(CODE + 2);
    assert_string_equal(EMITTED(NOPS), "0000000000001000 [mwait 5 1, ip: 0000000000001001] "
                                       "[exstop, ip: 0000000000001001] [pwre c1.1 hw] [pwrx hw: c2 (c3)] "
                                       "0000000000001001 [disabled, at: 0000000000001002] ");
}

static void event_trace(void **state)
{
    (void)state;
    enum { INTR = 1, IRET = 2, CR2 = 0 };
    emit_begin(true);
    PUT(.kind = PT_PACKET_EVD, .event_type = CR2, .payload = 0xf00);
    PUT(.kind = PT_PACKET_CFE, .event_type = INTR, .payload = 14);
    PUT_IP(PT_PACKET_FUP, CODE + 1);
    PUT_IP(PT_PACKET_TIP, CODE + 4);
    PUT(.kind = PT_PACKET_CFE, .event_type = IRET);
    PUT_IP(PT_PACKET_TIP, CODE + 1);
    PUT(.kind = PT_PACKET_MODE_EXEC, .cs_l = true, .iflag = true);
    PUT_IP(PT_PACKET_FUP, CODE + 2);
    emit_finish(CODE + 3);
    assert_string_equal(EMITTED("\x90\x90\x90\x90\x48\xcf"),
                        "0000000000001000 [interrupt 14, cr2: 0000000000000f00, ip: 0000000000001001] "
                        "[interrupt, from: 0000000000001001, to: 0000000000001004] 0000000000001004 [iret] "
                        "0000000000001001 [interrupts enabled, ip: 0000000000001002] 0000000000001002 "
                        "[disabled, at: 0000000000001003] ");
}

static void a_trigger_counts_instructions(void **state)
{
    (void)state;
    emit_begin(true);
    PUT(.kind = PT_PACKET_TRIG, .payload = 1, .has_icnt = true, .icnt = 2);
    emit_finish(CODE + 3);
    assert_string_equal(EMITTED(NOPS), "0000000000001000 0000000000001001 [trig 01, ip: 0000000000001002] "
                                       "0000000000001002 [disabled, at: 0000000000001003] ");
}

static void what_needs_no_tracing(void **state)
{
    (void)state;
    emit_begin(false);
    PUT(.kind = PT_PACKET_MODE_TSX, .in_tx = true);
    PUT(.kind = PT_PACKET_TRACESTOP);
    PUT(.kind = PT_PACKET_MODE_EXEC, .cs_d = true);
    PUT_IP(PT_PACKET_TIP_PGE, CODE);
    assert_string_equal(EMITTED(NOPS), "[begin transaction] [stopped] [enabled, ip: 0000000000001000] "
                                       "[exec mode: 32-bit, ip: 0000000000001000] [end of trace] ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_interrupt_with_its_space),
        cmocka_unit_test(ptwrite_comes_after_its_instruction),
        cmocka_unit_test(a_transaction),
        cmocka_unit_test(an_overflow_waits_for_its_fup),
        cmocka_unit_test(power),
        cmocka_unit_test(event_trace),
        cmocka_unit_test(a_trigger_counts_instructions),
        cmocka_unit_test(what_needs_no_tracing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
