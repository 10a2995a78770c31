/*
 * Soft PT's packets: where the trace starts and pauses, and near branches without ranges. The rows are those of SDM
 * Table "Packet Generation under Different Enable Conditions".
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/pt/soft/soft_fixture.h"

#define SIX_TAKEN "TNT !!!!!!"

/* Row 2e, and "Packet Stream Boundary (PSB)" (36.4.2.17) for what PSB+ has. */
static void starts_with_a_psb(void **state)
{
    struct soft_fixture *f = *state;
    soft_on(f, CTL_DEFAULT | RTIT_CTL_TSC_EN, 0);
    soft_pt_step_begin(&f->pt, &f->at);
    expect(f, "MODE.Exec 64; TIP.PGE 401000; PSB; TSC 1234; PIP 5000 NR; MODE.TSX; MODE.Exec 64; FUP 401000; PSBEND");
    soft_pt_step_begin(&f->pt, &f->at);
    expect(f, "");
}

/* Row 2d. */
static void starts_between_psbs(void **state)
{
    struct soft_fixture *f = *state;
    f->at.cs_l = false;
    f->at.cs_d = true;
    soft_on(f, CTL_DEFAULT | RTIT_CTL_TSC_EN, 1);
    soft_pt_step_begin(&f->pt, &f->at);
    expect(f, "TSC 1234; PIP 5000 NR; MODE.Exec 32; TIP.PGE 401000");
}

/* Rows 2a, 2b: of PSB+ only what does not need ContextEn. */
static void starts_out_of_context(void **state)
{
    struct soft_fixture *f = *state;
    soft_on(f, (CTL_DEFAULT | RTIT_CTL_TSC_EN) & ~RTIT_CTL_OS, 0);
    soft_pt_step_begin(&f->pt, &f->at);
    expect(f, "PSB; TSC 1234; PSBEND");
    soft_step(f, &jmp_rax, 0x402000);
    soft_step(f, &jz, 0x403000);
    soft_pt_trace_off(&f->pt);
    expect(f, "");
}

/* PIP: OS = 1; MODE.TSX, MODE.Exec and FUP: BranchEn = 1. */
static void what_the_controls_leave_out(void **state)
{
    struct soft_fixture *f = *state;
    f->at.user = true;
    soft_on(f, CTL_DEFAULT & ~RTIT_CTL_OS, 0);
    soft_pt_step_begin(&f->pt, &f->at);
    expect(f, "MODE.Exec 64; TIP.PGE 401000; PSB; MODE.TSX; MODE.Exec 64; FUP 401000; PSBEND");
    soft_pt_trace_off(&f->pt);
    soft_text(f);
    soft_on(f, CTL_DEFAULT & ~RTIT_CTL_BRANCH_EN, 0);
    f->read = 0;
    soft_pt_step_begin(&f->pt, &f->at);
    expect(f, "PSB; PIP 5000 NR; PSBEND");
    soft_step(f, &jmp_rax, 0x402000);
    soft_step(f, &jz, 0x403000);
    soft_pt_trace_off(&f->pt);
    expect(f, "");
}

static void nothing_without_trace_en(void **state)
{
    struct soft_fixture *f = *state;
    soft_on(f, CTL_DEFAULT & ~RTIT_CTL_TRACE_EN, 0);
    soft_step(f, &jmp_rax, 0x402000);
    soft_event(f, (struct soft_context){.ip = 0x403000, .cs_l = true});
    soft_pt_trace_off(&f->pt);
    expect(f, "");
    assert_false(soft_pt_must_step(&f->pt, true, 0x5000));
}

/* Row 3b; and what TraceEn = 1 does then is row 2 again. */
static void pauses_and_continues(void **state)
{
    struct soft_fixture *f = *state;
    soft_running(f, CTL_DEFAULT);
    soft_step(f, &jz, 0x402000);
    soft_step(f, &jz, 0x402002);
    soft_pt_trace_off(&f->pt);
    expect(f, "TNT !.; FUP 402002; TIP.PGD -");
    soft_pt_trace_off(&f->pt);
    expect(f, "");
    soft_pt_step_begin(&f->pt, &f->at);
    expect(f, "PIP 5000 NR; MODE.Exec 64; TIP.PGE 402002");
}

/* A pause clears the compression of returns: TraceEn was 0. */
static void a_return_after_a_pause_is_not_compressed(void **state)
{
    struct soft_fixture *f = *state;
    soft_running(f, CTL_DEFAULT);
    soft_step(f, &call, 0x402000);
    soft_pt_trace_off(&f->pt);
    soft_pt_step_begin(&f->pt, &f->at);
    soft_text(f);
    soft_step(f, &ret, 0x401005);
    expect(f, "TIP 401005");
}

/* Rows 7d, 8d. */
static void six_bits_fill_a_tnt(void **state)
{
    struct soft_fixture *f = *state;
    soft_running(f, CTL_DEFAULT);
    for (unsigned i = 0; i < 5; i++)
        soft_step(f, &jz, i % 2 ? f->at.ip + 2 : f->at.ip + 16);
    soft_step(f, &nop, f->at.ip + 1);
    expect(f, "");
    soft_step(f, &jz, f->at.ip + 2);
    expect(f, "TNT !.!.!.");
    soft_step(f, &jz, f->at.ip - 16);
    soft_pt_trace_off(&f->pt);
    expect(f, "TNT !; FUP 401027; TIP.PGD -");
}

/* "PSBFreq": a PSB as soon as so many bytes are out, but between packets that belong together never. */
static void psb_comes_in_time(void **state)
{
    struct soft_fixture *f = *state;
    for (unsigned code = 0; code < 6; code++) {
        const uint32_t every = 2048u << code;
        soft_on(f, CTL_DEFAULT | (uint64_t)code << RTIT_CTL_PSB_FREQ_SHIFT, every - 200);
        f->read = 0;
        f->at.ip = 0x401000;
        soft_pt_step_begin(&f->pt, &f->at);
        soft_text(f);
        size_t before;
        do {
            before = soft_written(f);
            for (unsigned i = 0; i < 6; i++)
                soft_step(f, &jz, f->at.ip + 2 * i);
        } while (!strstr(soft_text(f), "PSB"));
        char expected[200];
        snprintf(expected, sizeof(expected), "TNT !.!!!!; PSB; PIP 5000 NR; MODE.TSX; MODE.Exec 64; FUP %llx; PSBEND",
                 (unsigned long long)f->at.ip);
        assert_string_equal(f->text, expected);
        assert_int_equal(before, 199);
        soft_pt_trace_off(&f->pt);
    }
}

/* After a PSB the next IP is not compressed, and no return is compressed by a call before the PSB. */
static void a_psb_forgets(void **state)
{
    struct soft_fixture *f = *state;
    soft_running(f, CTL_DEFAULT);
    soft_step(f, &call, 0x402000);
    f->pt.packet_bytes = 2048;
    soft_step(f, &jmp_rax, 0x402100);
    expect(f, "TIP 402100; PSB; PIP 5000 NR; MODE.TSX; MODE.Exec 64; FUP 402100; PSBEND");
    soft_step(f, &ret, 0x401005);
    expect(f, "TIP 401005");
}

/* Rows 6, 9d: direct ones are silent; a TNT comes before the TIP that ends it. */
static void jumps_and_calls(void **state)
{
    struct soft_fixture *f = *state;
    soft_running(f, CTL_DEFAULT);
    soft_step(f, &jmp, 0x402000);
    soft_step(f, &call, 0x403000);
    expect(f, "");
    soft_step(f, &jz, 0x403100);
    soft_step(f, &jmp_rax, 0xffffffff81000000);
    expect(f, "TNT !; TIP ffffffff81000000");
    soft_step(f, &call_rax, 0x404000);
    soft_step(f, &jmp_rax, 0x404002); /* to the next instruction: has a packet as well */
    expect(f, "TIP 404000; TIP 404002");
}

/* "RET Compression" (36.4.2.2). */
static void returns_are_compressed(void **state)
{
    struct soft_fixture *f = *state;
    soft_running(f, CTL_DEFAULT);
    soft_step(f, &call, 0x402000);
    soft_step(f, &call_rax, 0x403000);
    soft_step(f, &ret, 0x402002);
    soft_step(f, &jz, 0x402004);
    soft_step(f, &ret, 0x401005);
    soft_step(f, &ret, 0x400000); /* nothing is known */
    expect(f, "TIP 403000; TNT !.!; TIP 400000");
}

static void a_return_elsewhere_empties_the_stack(void **state)
{
    struct soft_fixture *f = *state;
    soft_running(f, CTL_DEFAULT);
    soft_step(f, &call, 0x402000);
    soft_step(f, &call, 0x403000);
    soft_step(f, &ret, 0x405000);
    soft_step(f, &ret, 0x401005);
    expect(f, "TIP 405000; TIP 401005");
}

/* 64 are kept; the oldest go, even where the newer ones that took their places return there too. */
static void deep_calls(void **state)
{
    struct soft_fixture *f = *state;
    soft_running(f, CTL_DEFAULT);
    for (unsigned i = 0; i < 70; i++)
        soft_step(f, &call, 0x410000 + 0x100 * (i % 64));
    for (unsigned i = 69; i > 0; i--)
        soft_step(f, &ret, 0x410000 + 0x100 * ((i - 1) % 64) + 5);
    soft_step(f, &ret, 0x401005);
    expect(f, SIX_TAKEN "; " SIX_TAKEN "; " SIX_TAKEN "; " SIX_TAKEN "; " SIX_TAKEN "; " SIX_TAKEN "; " SIX_TAKEN
                        "; " SIX_TAKEN "; " SIX_TAKEN "; " SIX_TAKEN "; TNT !!!!; "
                        "TIP 410405; TIP 410305; TIP 410205; TIP 410105; TIP 410005; TIP 401005");
}

static void exactly_64_calls_return(void **state)
{
    struct soft_fixture *f = *state;
    soft_running(f, CTL_DEFAULT);
    for (unsigned i = 0; i < 64; i++)
        soft_step(f, &call, 0x410000 + 0x100 * i);
    for (unsigned i = 63; i > 0; i--)
        soft_step(f, &ret, 0x410000 + 0x100 * (i - 1) + 5);
    soft_text(f);
    soft_step(f, &ret, 0x401005);
    soft_pt_trace_off(&f->pt);
    expect(f, "TNT !!!!; FUP 401005; TIP.PGD -");
}

/* "CALL +0" is no call whose return matters; through a register it is. */
static void calls_of_the_next_instruction(void **state)
{
    struct soft_fixture *f = *state;
    soft_running(f, CTL_DEFAULT);
    soft_step(f, &call, 0x402000);
    soft_step(f, &call, 0x402005);
    soft_step(f, &ret, 0x401005);
    soft_step(f, &call_rax, 0x401007);
    soft_step(f, &ret, 0x401007);
    soft_pt_trace_off(&f->pt);
    expect(f, "TNT !; TIP 401007; TNT !; FUP 401007; TIP.PGD -");
}

static void dis_retc_reports_all_returns(void **state)
{
    struct soft_fixture *f = *state;
    soft_running(f, CTL_DEFAULT | RTIT_CTL_DIS_RETC);
    soft_step(f, &call, 0x402000);
    soft_step(f, &ret, 0x401005);
    expect(f, "TIP 401005");
}

/* Outside 64-bit mode the address after the last one is 0. */
static void the_next_instruction_wraps_at_32_bits(void **state)
{
    struct soft_fixture *f = *state;
    f->at = (struct soft_context){.ip = 0xfffffffe, .cr3 = 0x5000, .cs_d = true};
    soft_running(f, CTL_DEFAULT);
    soft_step(f, &jz, 0);
    soft_step(f, &jmp_rax, 0xfffffffb);
    soft_step(f, &call, 0x1000);
    soft_step(f, &ret, 0);
    soft_pt_trace_off(&f->pt);
    expect(f, "TNT .; TIP fffffffb; TNT !; FUP 0; TIP.PGD -");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SOFT_TEST(starts_with_a_psb),
        SOFT_TEST(starts_between_psbs),
        SOFT_TEST(starts_out_of_context),
        SOFT_TEST(what_the_controls_leave_out),
        SOFT_TEST(nothing_without_trace_en),
        SOFT_TEST(pauses_and_continues),
        SOFT_TEST(a_return_after_a_pause_is_not_compressed),
        SOFT_TEST(six_bits_fill_a_tnt),
        SOFT_TEST(psb_comes_in_time),
        SOFT_TEST(a_psb_forgets),
        SOFT_TEST(jumps_and_calls),
        SOFT_TEST(returns_are_compressed),
        SOFT_TEST(a_return_elsewhere_empties_the_stack),
        SOFT_TEST(deep_calls),
        SOFT_TEST(exactly_64_calls_return),
        SOFT_TEST(calls_of_the_next_instruction),
        SOFT_TEST(dis_retc_reports_all_returns),
        SOFT_TEST(the_next_instruction_wraps_at_32_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
