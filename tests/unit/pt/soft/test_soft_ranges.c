/*
 * Soft PT with ranges: "Filtering by IP" (SDM 36.2.4.3), and rows 5 to 13 of Table "Packet Generation under Different
 * Enable Conditions" where FilterEn changes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/pt/soft/soft_fixture.h"

#define IN 0x401000ull
#define IN_LAST 0x401fffull
#define OUT 0x500000ull
#define FILTER CTL_RANGE(0, PT_RANGE_FILTER)

/* In the filter's range, with one bit that waits. */
static void inside(struct soft_fixture *f)
{
    f->at = (struct soft_context){.ip = IN, .cr3 = 0x5000, .cs_l = true};
    soft_range(f, 0, IN, IN_LAST);
    soft_pt_trace_off(&f->pt);
    f->read = 0;
    soft_running(f, CTL_DEFAULT | FILTER);
    soft_step(f, &jz, IN + 0x10);
    expect(f, "");
}

static void outside(struct soft_fixture *f)
{
    inside(f);
    soft_step(f, &jmp, OUT);
    expect(f, "TNT !; TIP.PGD 500000");
}

/* Rows 6b, 7e, 7f, 9c: a conditional branch's target and a compressed return's need no IP. */
static void near_branches_leave(void **state)
{
    struct soft_fixture *f = *state;
    outside(f);
    inside(f);
    soft_step(f, &jz, OUT);
    expect(f, "TNT !; TIP.PGD -");
    inside(f);
    soft_step(f, &jmp_rax, OUT);
    expect(f, "TNT !; TIP.PGD 500000");
    inside(f);
    soft_step(f, &call, OUT);
    expect(f, "TNT !; TIP.PGD 500000");
    inside(f);
    soft_step(f, &ret, OUT);
    expect(f, "TNT !; TIP.PGD 500000");
}

static void a_compressed_return_leaves(void **state)
{
    struct soft_fixture *f = *state;
    f->at.ip = IN_LAST - 4;
    soft_range(f, 0, IN, IN_LAST);
    soft_running(f, CTL_DEFAULT | FILTER);
    soft_step(f, &call, IN);
    soft_step(f, &ret, IN_LAST + 1);
    expect(f, "TIP.PGD -");
}

/* Rows 6c, 7b, 9b: TIP.PGE, whatever it was. No return is compressed by the call that came in. */
static void near_branches_enter(void **state)
{
    static const struct instruction *const all[] = {&jz, &jmp, &jmp_rax, &call, &call_rax, &ret};
    struct soft_fixture *f = *state;
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        outside(f);
        soft_step(f, all[i], IN + 0x20);
        expect(f, "TIP.PGE 401020");
        soft_step(f, &ret, OUT + all[i]->length);
        char expected[32];
        snprintf(expected, sizeof(expected), "TIP.PGD 50000%u", all[i]->length);
        expect(f, expected);
    }
}

/* Rows 6a, 7a, 8a, 9a. */
static void outside_there_are_no_packets(void **state)
{
    struct soft_fixture *f = *state;
    outside(f);
    soft_step(f, &jz, OUT + 0x10);
    soft_step(f, &jz, OUT + 0x12);
    soft_step(f, &jmp, OUT);
    soft_step(f, &call_rax, OUT + 0x10);
    soft_step(f, &ret, OUT + 2);
    soft_step(f, &jmp_far, OUT);
    soft_event(f, (struct soft_context){.ip = OUT + 0x20, .cr3 = 0x5000, .cs_l = true});
    soft_pt_trace_off(&f->pt);
    expect(f, "");
}

/* FilterEn is worked out where a branch is taken, and not before. */
static void running_on_changes_nothing(void **state)
{
    struct soft_fixture *f = *state;
    f->at.ip = IN_LAST;
    soft_range(f, 0, IN, IN_LAST);
    soft_running(f, CTL_DEFAULT | FILTER);
    soft_step(f, &nop, IN_LAST + 1);
    soft_step(f, &jz, IN_LAST + 3);
    soft_pt_trace_off(&f->pt);
    expect(f, "TNT .; FUP 402002; TIP.PGD -");
    f->at.ip = IN - 3;
    soft_pt_step_begin(&f->pt, &f->at);
    soft_step(f, &nop, IN - 2);
    soft_step(f, &jz, IN);
    soft_step(f, &nop, IN + 1);
    expect(f, "PIP 5000 NR");
    soft_step(f, &jmp, IN + 1);
    expect(f, "MODE.Exec 64; TIP.PGE 401001");
}

/* Both limits belong to the range. */
static void limits_are_inclusive(void **state)
{
    struct soft_fixture *f = *state;
    outside(f);
    soft_step(f, &jmp, IN - 1);
    expect(f, "");
    soft_step(f, &jmp, IN);
    expect(f, "TIP.PGE 401000");
    soft_step(f, &jmp, IN_LAST);
    expect(f, "");
    soft_step(f, &jmp, IN_LAST + 1);
    expect(f, "TIP.PGD 402000");
}

static void any_of_several_ranges_will_do(void **state)
{
    struct soft_fixture *f = *state;
    soft_range(f, 0, IN, IN_LAST);
    soft_range(f, 3, OUT, OUT + 0xfff);
    soft_running(f, CTL_DEFAULT | FILTER | CTL_RANGE(3, PT_RANGE_FILTER));
    soft_step(f, &jmp_rax, OUT + 0x10);
    soft_step(f, &jmp, 0x600000);
    soft_step(f, &jmp, OUT + 0x20);
    expect(f, "TIP 500010; TIP.PGD 600000; TIP.PGE 500020");
}

/* Rows 10d, 12d, 13d, and 10b, 12b, 13b; CR3 is reported outside as well (10f). */
static void far_branches_and_events_cross(void **state)
{
    const struct soft_context out = {.ip = OUT, .cr3 = 0x5000, .cs_d = true},
                              in = {.ip = IN, .cr3 = 0x5000, .cs_l = true};
    struct soft_fixture *f = *state;
    inside(f);
    soft_step_to(f, &jmp_far, out);
    expect(f, "TNT !; TIP.PGD 500000");
    soft_step_to(f, &jmp_far, in);
    soft_step_to(f, &int_n, out);
    expect(f, "TIP.PGE 401000; FUP 401000; TIP.PGD 500000");
    soft_step_to(f, &int_n, in);
    soft_event(f, out);
    expect(f, "TIP.PGE 401000; FUP 401000; TIP.PGD 500000");
    soft_step_to(f, &jmp_far, (struct soft_context){.ip = OUT, .cr3 = 0x6000, .cs_d = true});
    soft_event(f, (struct soft_context){.ip = IN, .cr3 = 0x6000, .cs_d = true});
    expect(f, "PIP 6000 NR; MODE.Exec 32; TIP.PGE 401000");
}

/* Rows 5e, 5f, 5b: with the next instruction's IP. */
static void mov_to_cr3_crosses(void **state)
{
    struct soft_fixture *f = *state;
    struct soft_context next = {.ip = IN_LAST + 1, .cr3 = 0x6000, .cs_l = true};
    f->at.ip = IN_LAST - 2;
    soft_range(f, 0, IN, IN_LAST);
    soft_running(f, CTL_DEFAULT | FILTER);
    soft_step_to(f, &mov_cr3, next);
    expect(f, "PIP 6000 NR; TIP.PGD 402000");
    next.ip += 3;
    next.cr3 = 0x7000;
    soft_step_to(f, &mov_cr3, next);
    expect(f, "PIP 7000 NR");
    soft_step(f, &jz, IN - 3);
    next.ip = IN;
    soft_step_to(f, &mov_cr3, next);
    expect(f, "PIP 7000 NR; TIP.PGE 401000");
}

/* A PSB+ that comes while PacketEn is 0 has no MODE.Exec: "or if no MODE.Exec since last PSB", it comes before TIP.PGE.
 */
static void the_mode_is_repeated_after_a_psb(void **state)
{
    struct soft_fixture *f = *state;
    inside(f);
    f->pt.packet_bytes = 2048;
    soft_step(f, &jmp, OUT);
    expect(f, "TNT !; TIP.PGD 500000; PSB; PIP 5000 NR; MODE.TSX; PSBEND");
    f->pt.packet_bytes = 2048;
    soft_step(f, &jmp, IN);
    expect(f, "MODE.Exec 64; TIP.PGE 401000; PSB; PIP 5000 NR; MODE.TSX; MODE.Exec 64; FUP 401000; PSBEND");
}

/* It ran on unseen, and came to a page that is guarded. */
static void it_comes_into_the_range_between_two_steps(void **state)
{
    struct soft_fixture *f = *state;
    outside(f);
    f->at.ip = OUT + 0x100;
    soft_pt_step_begin(&f->pt, &f->at);
    expect(f, "");
    f->at.ip = IN + 0x30;
    soft_step(f, &jmp_rax, IN + 0x40);
    expect(f, "TIP.PGE 401030; TIP 401040");
}

/* What may run without being stepped: what is on no page of a range, while it is not traced. */
static void who_is_stepped(void **state)
{
    struct soft_fixture *f = *state;
    inside(f);
    assert_true(soft_pt_guards(&f->pt, IN_LAST, IN_LAST + 0x1000, true, false));
    assert_true(soft_pt_guards(&f->pt, IN - 0x1000, IN, true, false));
    assert_true(soft_pt_guards(&f->pt, 0, UINT64_MAX, true, false));
    assert_false(soft_pt_guards(&f->pt, IN_LAST + 1, UINT64_MAX, true, false));
    assert_false(soft_pt_guards(&f->pt, 0, IN - 1, true, false));
    assert_true(soft_pt_must_step(&f->pt, false, 0x5000));
    soft_step(f, &jmp, OUT);
    assert_false(soft_pt_must_step(&f->pt, false, 0x5000));
    assert_true(soft_pt_must_step(&f->pt, true, 0x5000));
    soft_pt_trace_off(&f->pt);
    soft_pt_write(&f->pt, IA32_RTIT_CTL, CTL_DEFAULT);
    assert_true(soft_pt_must_step(&f->pt, false, 0x5000));
    assert_false(soft_pt_guards(&f->pt, 0, UINT64_MAX, true, true));
}

/* Only the kernel or only user mode: a page is guarded if that can execute it. */
static void who_is_stepped_by_privilege(void **state)
{
    struct soft_fixture *f = *state;
    soft_on(f, CTL_DEFAULT & ~RTIT_CTL_OS, 0);
    assert_true(soft_pt_has_window(&f->pt));
    assert_true(soft_pt_guards(&f->pt, IN, IN_LAST, false, true));
    assert_true(soft_pt_guards(&f->pt, IN, IN_LAST, true, true));
    assert_false(soft_pt_guards(&f->pt, IN, IN_LAST, true, false));
    assert_false(soft_pt_must_step(&f->pt, false, 0x5000));
    assert_true(soft_pt_must_step(&f->pt, true, 0x5000));
    soft_pt_write(&f->pt, IA32_RTIT_CTL, CTL_DEFAULT & ~RTIT_CTL_USER);
    assert_true(soft_pt_guards(&f->pt, IN, IN_LAST, true, false));
    assert_false(soft_pt_guards(&f->pt, IN, IN_LAST, false, true));
    /* One address space is stepped as a whole. */
    soft_pt_write(&f->pt, IA32_RTIT_CTL, (CTL_DEFAULT & ~RTIT_CTL_USER) | RTIT_CTL_CR3_FILTER);
    assert_false(soft_pt_has_window(&f->pt));
    assert_false(soft_pt_guards(&f->pt, IN, IN_LAST, true, false));
}

/* At the same address, at another privilege: it has run on unseen in between. */
static void comes_back_to_the_same_address(void **state)
{
    struct soft_fixture *f = *state;
    soft_running(f, CTL_DEFAULT & ~RTIT_CTL_OS);
    expect(f, "");
    f->at.user = true;
    soft_pt_step_begin(&f->pt, &f->at);
    expect(f, "MODE.Exec 64; TIP.PGE 401000");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SOFT_TEST(near_branches_leave),
        SOFT_TEST(a_compressed_return_leaves),
        SOFT_TEST(near_branches_enter),
        SOFT_TEST(outside_there_are_no_packets),
        SOFT_TEST(running_on_changes_nothing),
        SOFT_TEST(limits_are_inclusive),
        SOFT_TEST(any_of_several_ranges_will_do),
        SOFT_TEST(far_branches_and_events_cross),
        SOFT_TEST(mov_to_cr3_crosses),
        SOFT_TEST(the_mode_is_repeated_after_a_psb),
        SOFT_TEST(it_comes_into_the_range_between_two_steps),
        SOFT_TEST(who_is_stepped),
        SOFT_TEST(who_is_stepped_by_privilege),
        SOFT_TEST(comes_back_to_the_same_address),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
