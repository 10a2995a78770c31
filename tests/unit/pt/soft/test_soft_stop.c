/*
 * Soft PT's TraceStop: "TraceStop" (SDM 36.2.4.3) and "TraceStop Packet" (36.4.2.9). It follows the TIP.PGD that
 * it causes, since FilterEn is 0 then, and nothing follows it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/pt/soft/soft_fixture.h"

#define IN 0x401000ull
#define IN_LAST 0x401fffull
#define OUT 0x500000ull
#define FILTER CTL_RANGE(0, PT_RANGE_FILTER)
#define STOP CTL_RANGE(1, PT_RANGE_STOP)

static void expect_stopped(struct soft_fixture *f)
{
    assert_int_equal(soft_pt_read(&f->pt, IA32_RTIT_STATUS) & (RTIT_STATUS_STOPPED | RTIT_STATUS_ERROR),
                     RTIT_STATUS_STOPPED);
    assert_false(soft_pt_must_step(&f->pt, true, 0x5000));
    soft_step(f, &jmp_rax, IN);
    soft_step(f, &jz, IN + 0x10);
    soft_event(f, f->at);
    soft_pt_trace_off(&f->pt);
    expect(f, "");
}

/* A bit waits, and OUT begins the range that stops. */
static void before_stop(struct soft_fixture *f)
{
    soft_pt_trace_off(&f->pt);
    f->at = (struct soft_context){.ip = IN, .cr3 = 0x5000, .cs_l = true};
    f->read = 0;
    soft_range(f, 1, OUT, OUT + 0xfff);
    soft_running(f, CTL_DEFAULT | STOP);
    soft_step(f, &jz, IN + 2);
}

static void near_branches_stop(void **state)
{
    struct soft_fixture *f = *state;
    before_stop(f);
    soft_step(f, &jmp, OUT);
    expect(f, "TNT .; TIP.PGD 500000; TraceStop");
    expect_stopped(f);
    before_stop(f);
    soft_step(f, &jz, OUT + 0xfff);
    expect(f, "TNT .; TIP.PGD -; TraceStop");
    expect_stopped(f);
    before_stop(f);
    soft_step(f, &call_rax, OUT);
    expect(f, "TNT .; TIP.PGD 500000; TraceStop");
    expect_stopped(f);
    before_stop(f);
    soft_step(f, &jmp_rax, OUT + 0x1000);
    soft_step(f, &jmp_rax, OUT - 1);
    expect(f, "TNT .; TIP 501000; TIP 4fffff");
}

static void far_branches_and_events_stop(void **state)
{
    struct soft_fixture *f = *state;
    before_stop(f);
    soft_step(f, &jmp_far, OUT);
    expect(f, "TNT .; TIP.PGD 500000; TraceStop");
    expect_stopped(f);
    before_stop(f);
    soft_event(f, (struct soft_context){.ip = OUT, .cr3 = 0x6000, .cs_l = true});
    expect(f, "TNT .; FUP 401002; PIP 6000 NR; TIP.PGD 500000; TraceStop");
    expect_stopped(f);
}

/* Row 5e: by where MOV to CR3 itself is, which may have been run into. */
static void mov_to_cr3_stops(void **state)
{
    struct soft_fixture *f = *state;
    before_stop(f);
    soft_step(f, &jmp_rax, OUT - 1);
    soft_step(f, &nop, OUT);
    soft_step(f, &jz, OUT + 2);
    expect(f, "TNT .; TIP 4fffff");
    soft_step_to(f, &mov_cr3, (struct soft_context){.ip = OUT + 5, .cr3 = 0x6000, .cs_l = true});
    expect(f, "TNT .; PIP 6000 NR; TIP.PGD 500005; TraceStop");
    expect_stopped(f);
    before_stop(f);
    soft_step(f, &jmp_rax, OUT - 3);
    soft_step_to(f, &mov_cr3, (struct soft_context){.ip = OUT, .cr3 = 0x6000, .cs_l = true});
    expect(f, "TNT .; TIP 4ffffd; PIP 6000 NR");
    soft_step(f, &jmp_rax, OUT + 0xffd);
    soft_text(f);
}

/* It needs ContextEn, not FilterEn (36.2.4.3). */
static void stops_outside_of_the_filter_too(void **state)
{
    struct soft_fixture *f = *state;
    soft_range(f, 0, IN, IN_LAST);
    soft_range(f, 1, OUT, OUT + 0xfff);
    soft_running(f, (CTL_DEFAULT | FILTER | STOP) & ~RTIT_CTL_USER);
    soft_step_to(f, &iret, (struct soft_context){.ip = OUT, .cr3 = 0x5000, .cs_l = true, .user = true});
    soft_step(f, &jmp, OUT + 0x10);
    expect(f, "TIP.PGD -");
    soft_step_to(f, &syscall_far, (struct soft_context){.ip = 0x600000, .cr3 = 0x5000, .cs_l = true});
    expect(f, "");
    soft_step(f, &jz, OUT + 0x10);
    expect(f, "TraceStop");
    expect_stopped(f);
}

/* TraceEn is set there; inside a filter's range too. */
static void starts_where_it_stops(void **state)
{
    struct soft_fixture *f = *state;
    soft_range(f, 0, IN, IN_LAST);
    soft_range(f, 1, IN, IN + 0xf);
    soft_on(f, CTL_DEFAULT | FILTER | STOP, 0);
    soft_pt_step_begin(&f->pt, &f->at);
    expect(f, "PSB; PIP 5000 NR; MODE.TSX; PSBEND; TraceStop");
    expect_stopped(f);
}

/* TraceStop clears TriggerEn: the PSB that was due is not generated, and the count of bytes remains. */
static void no_psb_after_a_stop(void **state)
{
    struct soft_fixture *f = *state;
    before_stop(f);
    f->pt.packet_bytes = 2048;
    soft_step(f, &jmp_far, OUT);
    expect(f, "TNT .; TIP.PGD 500000; TraceStop");
    assert_true(soft_pt_read(&f->pt, IA32_RTIT_STATUS) >> 32 > 2048);
}

/* Instructions that were executed while stopped generate nothing. Tracing resumes at the IP that a decoder expects. */
static void starts_again_after_a_stop(void **state)
{
    struct soft_fixture *f = *state;
    before_stop(f);
    soft_step(f, &jmp, OUT);
    soft_step(f, &jz, 0xffffffff81000000);
    soft_step(f, &jmp_rax, 0xffffffff81000100);
    soft_step(f, &call, 0xffffffff81000200);
    soft_pt_trace_off(&f->pt);
    expect(f, "TNT .; TIP.PGD 500000; TraceStop");
    soft_pt_write(&f->pt, IA32_RTIT_STATUS, 1ull << 32);
    soft_step(f, &ret, 0xffffffff81000105);
    soft_pt_trace_off(&f->pt);
    expect(
        f,
        "PIP 5000 NR; MODE.Exec 64; TIP.PGE ffffffff81000200; TIP ffffffff81000105; FUP ffffffff81000105; TIP.PGD -");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SOFT_TEST(near_branches_stop),        SOFT_TEST(far_branches_and_events_stop),
        SOFT_TEST(mov_to_cr3_stops),          SOFT_TEST(stops_outside_of_the_filter_too),
        SOFT_TEST(starts_where_it_stops),     SOFT_TEST(no_psb_after_a_stop),
        SOFT_TEST(starts_again_after_a_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
