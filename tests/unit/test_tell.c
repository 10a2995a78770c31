/* Events among instructions: where packets bind them. Each case is a trace, and what is told of it, as ptxed would
 * print it. SDM "Packet Definitions", Table "Compound Packet Event Summary". */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decode/foreign/foreign_trace.h"
#include "decode/report/ptxed_line.h"
#include "pt/packet.h"

#define CODE 0x1000u
#define MOST_BYTES 512u
#define MOST_TEXT 4096u

static uint8_t trace[MOST_BYTES];
static size_t size;
static bool ticks;
static char told[MOST_TEXT];

static void put(struct packet packet)
{
    size += packet_encode(trace + size, &packet);
}

#define PUT(...) put((struct packet){__VA_ARGS__})
#define PUT_IP(what, address) PUT(.kind = (what), .ip_bytes = PT_IP_SEXT_48, .ip = (address))

static void begin(bool tracing)
{
    size = 0;
    PUT(.kind = PT_PACKET_PSB);
    if (tracing)
        PUT_IP(PT_PACKET_FUP, CODE);
    PUT(.kind = PT_PACKET_MODE_EXEC, .cs_l = true);
    PUT(.kind = PT_PACKET_PSBEND);
}

static void end(uint64_t ip)
{
    PUT_IP(PT_PACKET_FUP, ip);
    PUT(.kind = PT_PACKET_TIP_PGD, .ip_bytes = PT_IP_SUPPRESSED);
}

static void take_instruction(void *context, uint64_t ip)
{
    (void)context;
    ptxed_address_line(told + strlen(told), ip, false);
}

static void take_event(void *context, const struct flow_event *event)
{
    const struct ptxed_options *options = context;
    ptxed_event_line(told + strlen(told), event, options);
}

/* What is told of the trace over the code, with a space in place of each end of line. */
static const char *tell(const char *code, size_t code_size)
{
    static const struct ptxed_options options = {.event_ip = true, .event_iflags = true};
    const struct flow_hooks hooks = {
        .instruction = take_instruction, .event = take_event, .context = (void *)(uintptr_t)&options};
    struct foreign foreign = {0};
    struct error error = {0};
    struct flow_result result;
    foreign.packets = (struct foreign_file){malloc(size), size};
    foreign.image.files = calloc(1, sizeof(*foreign.image.files));
    foreign.image.files[0] = (struct foreign_file){malloc(code_size), code_size};
    foreign.image.nr_files = 1;
    memcpy(foreign.packets.bytes, trace, size);
    memcpy(foreign.image.files[0].bytes, code, code_size);
    assert_true(foreign_image_add_piece(&foreign.image, (struct foreign_piece){.gva = CODE, .size = code_size}, "code",
                                        &error));
    assert_true(foreign_prepare(&foreign, "trace", &error));
    foreign.trace.input.ticks = ticks;
    struct flow *flow = flow_start(&foreign.trace.input, &hooks, &error);
    assert_non_null(flow);
    told[0] = '\0';
    for (size_t i = 0; i < foreign.trace.nr_stretches; i++)
        flow_decode(flow, &foreign.trace.stretches[i], &result);
    flow_end(flow);
    foreign_close(&foreign);
    for (char *at = told; (at = strchr(at, '\n'));)
        *at = ' ';
    return told;
}

#define NOPS "\x90\x90\x90\x90\x90\x90"
#define TELL(code) tell(code, sizeof(code) - 1)

static void an_interrupt_with_its_space(void **state)
{
    (void)state;
    begin(true);
    PUT_IP(PT_PACKET_FUP, CODE + 1);
    PUT(.kind = PT_PACKET_PIP, .cr3 = 0x5000);
    PUT(.kind = PT_PACKET_VMCS, .vmcs = 0x7000);
    PUT_IP(PT_PACKET_TIP, CODE + 4);
    end(CODE + 5);
    assert_string_equal(TELL(NOPS), "0000000000001000 "
                                    "[interrupt, from: 0000000000001001, to: 0000000000001004] "
                                    "[vmcs, base: 0000000000007000, ip: 0000000000001004] "
                                    "[paging, cr3: 0000000000005000, ip: 0000000000001004] "
                                    "0000000000001004 [disabled, at: 0000000000001005] ");
}

static void ptwrite_is_told_behind_it(void **state)
{
    (void)state;
    begin(true);
    PUT(.kind = PT_PACKET_PTW, .payload = 0xab, .ptw_bytes = 4);
    PUT(.kind = PT_PACKET_PTW, .payload = 0xcd, .ptw_bytes = 4, .fup_follows = true);
    PUT_IP(PT_PACKET_FUP, CODE + 5);
    end(CODE + 9);
    assert_string_equal(TELL("\x90\xf3\x0f\xae\xe0\xf3\x0f\xae\xe0\x90"),
                        "0000000000001000 0000000000001001 [ptwrite: ab] "
                        "0000000000001005 [ptwrite: cd, ip: 0000000000001005] [disabled, at: 0000000000001009] ");
}

static void a_transaction(void **state)
{
    (void)state;
    begin(true);
    PUT(.kind = PT_PACKET_MODE_TSX, .in_tx = true);
    PUT_IP(PT_PACKET_FUP, CODE + 1);
    PUT(.kind = PT_PACKET_MODE_TSX, .tx_abort = true);
    PUT_IP(PT_PACKET_FUP, CODE + 2);
    PUT_IP(PT_PACKET_TIP, CODE + 4);
    end(CODE + 4);
    assert_string_equal(TELL(NOPS), "0000000000001000 [begin transaction, ip: 0000000000001001] 0000000000001001 "
                                    "[aborted, ip: 0000000000001002] "
                                    "[interrupt, from: 0000000000001002, to: 0000000000001004] "
                                    "[disabled, at: 0000000000001004] ");
}

static void an_overflow_waits_for_its_fup(void **state)
{
    (void)state;
    begin(true);
    PUT(.kind = PT_PACKET_OVF);
    PUT(.kind = PT_PACKET_CBR, .payload = 0x20);
    PUT_IP(PT_PACKET_FUP, CODE + 3);
    PUT(.kind = PT_PACKET_OVF);
    PUT_IP(PT_PACKET_TIP_PGE, CODE + 4);
    end(CODE + 5);
    assert_string_equal(TELL(NOPS), "[cbr: 20] [overflow, ip: 0000000000001003] [overflow] "
                                    "[enabled, ip: 0000000000001004] 0000000000001004 "
                                    "[disabled, at: 0000000000001005] ");
}

static void power(void **state)
{
    (void)state;
    begin(true);
    PUT(.kind = PT_PACKET_MWAIT, .payload = 0x100000005);
    PUT(.kind = PT_PACKET_PWRE, .payload = 0x0080);
    PUT(.kind = PT_PACKET_EXSTOP, .fup_follows = true);
    PUT_IP(PT_PACKET_FUP, CODE + 1);
    PUT(.kind = PT_PACKET_PWRX, .payload = 0x812);
    end(CODE + 2);
    assert_string_equal(TELL(NOPS), "0000000000001000 [mwait 5 1, ip: 0000000000001001] "
                                    "[exstop, ip: 0000000000001001] [pwre c1.1 hw] [pwrx hw: c2 (c3)] "
                                    "0000000000001001 [disabled, at: 0000000000001002] ");
}

static void event_trace(void **state)
{
    (void)state;
    enum { INTR = 1, IRET = 2, CR2 = 0 };
    begin(true);
    PUT(.kind = PT_PACKET_EVD, .event_type = CR2, .payload = 0xf00);
    PUT(.kind = PT_PACKET_CFE, .event_type = INTR, .payload = 14);
    PUT_IP(PT_PACKET_FUP, CODE + 1);
    PUT_IP(PT_PACKET_TIP, CODE + 4);
    PUT(.kind = PT_PACKET_CFE, .event_type = IRET);
    PUT_IP(PT_PACKET_TIP, CODE + 1);
    PUT(.kind = PT_PACKET_MODE_EXEC, .cs_l = true, .iflag = true);
    PUT_IP(PT_PACKET_FUP, CODE + 2);
    end(CODE + 3);
    assert_string_equal(TELL("\x90\x90\x90\x90\x48\xcf"),
                        "0000000000001000 [interrupt 14, cr2: 0000000000000f00, ip: 0000000000001001] "
                        "[interrupt, from: 0000000000001001, to: 0000000000001004] 0000000000001004 [iret] "
                        "0000000000001001 [interrupts enabled, ip: 0000000000001002] 0000000000001002 "
                        "[disabled, at: 0000000000001003] ");
}

static void a_trigger_counts_instructions(void **state)
{
    (void)state;
    begin(true);
    PUT(.kind = PT_PACKET_TRIG, .payload = 1, .has_icnt = true, .icnt = 2);
    end(CODE + 3);
    assert_string_equal(TELL(NOPS), "0000000000001000 0000000000001001 [trig 01, ip: 0000000000001002] "
                                    "0000000000001002 [disabled, at: 0000000000001003] ");
}

static void what_needs_no_tracing(void **state)
{
    (void)state;
    begin(false);
    PUT(.kind = PT_PACKET_MODE_TSX, .in_tx = true);
    PUT(.kind = PT_PACKET_TRACESTOP);
    PUT(.kind = PT_PACKET_MODE_EXEC, .cs_d = true);
    PUT_IP(PT_PACKET_TIP_PGE, CODE);
    assert_string_equal(TELL(NOPS), "[begin transaction] [stopped] [enabled, ip: 0000000000001000] "
                                    "[exec mode: 32-bit, ip: 0000000000001000] [end of trace] ");
}

static void errors_stand_behind_what_was_walked(void **state)
{
    (void)state;
    begin(true);
    PUT(.kind = PT_PACKET_TNT_8, .tnt = 1, .tnt_bits = 1);
    end(CODE + 2);
    assert_string_equal(TELL("\x90\xff\xe0"), "0000000000001000 0000000000001001 "
                                              "[1c, 1001: error: trace stream does not match query] ");
    begin(true);
    PUT_IP(PT_PACKET_TIP, CODE + 0x100);
    PUT_IP(PT_PACKET_FUP, CODE + 2); /* up to 0x29 */
    PUT(.kind = PT_PACKET_PAD);
    PUT(.kind = PT_PACKET_PAD);
    PUT(.kind = PT_PACKET_TIP_PGD, .ip_bytes = PT_IP_SUPPRESSED);
    assert_string_equal(TELL("\x90\xff\xe0"), "0000000000001000 0000000000001001 "
                                              "[2b, 1100: error: no memory mapped at this address] ");
    begin(true);
    PUT_IP(PT_PACKET_FUP, CODE + 9);
    PUT_IP(PT_PACKET_TIP, CODE);
    assert_string_equal(TELL("\x90\xeb\x05"), "0000000000001000 0000000000001001 "
                                              "[22, 1008: error: no memory mapped at this address] ");
}

/* At the first bit of a TNT, and at a TIP that is a branch's. */
static void branches_tick(void **state)
{
    (void)state;
    ticks = true;
    begin(true);
    PUT(.kind = PT_PACKET_TNT_8, .tnt = 2, .tnt_bits = 2);
    PUT_IP(PT_PACKET_TIP, CODE + 8);
    PUT_IP(PT_PACKET_FUP, CODE + 9);
    PUT_IP(PT_PACKET_TIP, CODE + 10);
    end(CODE + 10);
    assert_string_equal(TELL("\x75\x02\x90\x90\x74\x00\xff\xe0" NOPS),
                        "0000000000001000 [tick, ip: 0000000000001004] 0000000000001004 "
                        "0000000000001006 [tick, ip: 0000000000001006] 0000000000001008 "
                        "[interrupt, from: 0000000000001009, to: 000000000000100a] [disabled, at: 000000000000100a] ");
    ticks = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_interrupt_with_its_space),
        cmocka_unit_test(ptwrite_is_told_behind_it),
        cmocka_unit_test(a_transaction),
        cmocka_unit_test(an_overflow_waits_for_its_fup),
        cmocka_unit_test(power),
        cmocka_unit_test(event_trace),
        cmocka_unit_test(a_trigger_counts_instructions),
        cmocka_unit_test(what_needs_no_tracing),
        cmocka_unit_test(errors_stand_behind_what_was_walked),
        cmocka_unit_test(branches_tick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
