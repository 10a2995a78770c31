/*
 * Soft PT's packets of what may change mode, privilege and address space: far transfers, software interrupts, events,
 * MOV to CR3. The rows are those of SDM Table "Packet Generation under Different Enable Conditions".
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/pt/soft/soft_fixture.h"

#define KERNEL 0xffffffff81000000ull

static struct soft_context kernel(uint64_t ip)
{
    return (struct soft_context){.ip = ip, .cr3 = 0x5000, .cs_l = true};
}

static struct soft_context user(uint64_t ip)
{
    return (struct soft_context){.ip = ip, .cr3 = 0x5000, .cs_l = true, .user = true};
}

static struct soft_context with_cr3(struct soft_context place, uint64_t cr3)
{
    place.cr3 = cr3;
    return place;
}

/* Row 10e: only TIP, and MODE.Exec if the code's size changes. CS.D has no meaning in 64-bit mode. */
static void far_branches_report_the_mode(void **state)
{
    struct soft_fixture *f = *state;
    soft_running(f, CTL_DEFAULT);
    soft_step(f, &jz, 0x401010);
    soft_step(f, &syscall_far, KERNEL);
    expect(f, "TNT !; TIP ffffffff81000000");
    soft_step_to(f, &iret, (struct soft_context){.ip = 0x8000, .cr3 = 0x5000, .cs_d = true, .user = true});
    expect(f, "MODE.Exec 32; TIP 8000");
    soft_step(f, &jmp_far, 0x8100);
    soft_step_to(f, &jmp_far, (struct soft_context){.ip = 0x7c00, .cr3 = 0x5000});
    soft_step_to(f, &jmp_far, (struct soft_context){.ip = 0x9000, .cr3 = 0x5000, .cs_l = true, .cs_d = true});
    soft_step_to(f, &jmp_far, kernel(0x9100));
    expect(f, "TIP 8100; MODE.Exec 16; TIP 7c00; MODE.Exec 64; TIP 9000; TIP 9100");
}

/* Row 10e with a task switch. */
static void far_branches_report_cr3(void **state)
{
    struct soft_fixture *f = *state;
    soft_running(f, CTL_DEFAULT);
    soft_step_to(f, &jmp_far, with_cr3(kernel(0x402000), 0x6000));
    soft_step_to(f, &iret, (struct soft_context){.ip = 0x8000, .cr3 = 0x7020, .cs_d = true});
    expect(f, "PIP 6000 NR; TIP 402000; PIP 7020 NR; MODE.Exec 32; TIP 8000");
}

/* Rows 10c, 10a, 10b: USER = 0. A PIP that is still due comes with row 10b if CR3 changes then. */
static void far_branches_leave_the_context(void **state)
{
    struct soft_fixture *f = *state;
    soft_running(f, CTL_DEFAULT & ~RTIT_CTL_USER);
    soft_step(f, &jz, 0x401010);
    soft_step_to(f, &iret, user(0x8000));
    expect(f, "TNT !; TIP.PGD -");
    soft_step(f, &jz, 0x8010);
    soft_step(f, &jmp_rax, 0x8020);
    soft_step(f, &call, 0x9000);
    soft_step_to(f, &jmp_far, (struct soft_context){.ip = 0x8000, .cr3 = 0x5000, .cs_d = true, .user = true});
    expect(f, "");
    soft_step_to(f, &syscall_far, kernel(KERNEL));
    expect(f, "TIP.PGE ffffffff81000000");
    soft_step(f, &ret, 0x8025);
    expect(f, "TIP 8025");
    soft_step_to(f, &iret, user(0xa000));
    soft_step_to(f, &syscall_far, (struct soft_context){.ip = 0xb000, .cr3 = 0x6000, .cs_d = true});
    expect(f, "TIP.PGD -; PIP 6000 NR; MODE.Exec 32; TIP.PGE b000");
}

/* OS = 0: the kernel has no packets, not even for CR3. */
static void user_only(void **state)
{
    struct soft_fixture *f = *state;
    f->at = user(0x401000);
    soft_running(f, CTL_DEFAULT & ~RTIT_CTL_OS);
    soft_step_to(f, &syscall_far, kernel(KERNEL));
    soft_step_to(f, &mov_cr3, with_cr3(kernel(KERNEL + 3), 0x6000));
    soft_step(f, &jmp_rax, KERNEL + 0x100);
    expect(f, "TIP.PGD -");
    soft_step_to(f, &iret, with_cr3(user(0x401002), 0x6000));
    soft_event(f, kernel(KERNEL));
    expect(f, "TIP.PGE 401002; FUP 401002; TIP.PGD -");
}

/* Rows 12e, 12c, 12b: FUP has the instruction itself. SYSCALL is none. */
static void software_interrupts(void **state)
{
    struct soft_fixture *f = *state;
    soft_running(f, CTL_DEFAULT & ~RTIT_CTL_USER);
    soft_step(f, &jz, 0x402000);
    soft_step(f, &int3, KERNEL);
    expect(f, "TNT !; FUP 402000; TIP ffffffff81000000");
    soft_step_to(f, &int_n, user(0x8000));
    expect(f, "FUP ffffffff81000000; TIP.PGD -");
    soft_step_to(f, &int_n, kernel(KERNEL));
    expect(f, "TIP.PGE ffffffff81000000");
}

static void into_traps_or_continues(void **state)
{
    struct soft_fixture *f = *state;
    f->at = (struct soft_context){.ip = 0x8000, .cr3 = 0x5000, .cs_d = true};
    soft_running(f, CTL_DEFAULT);
    soft_step(f, &into, 0x8001);
    expect(f, "");
    soft_step(f, &into, 0x9000);
    expect(f, "FUP 8001; TIP 9000");
}

/* Its handler may be the code right after it. */
static void int_n_always_traps(void **state)
{
    struct soft_fixture *f = *state;
    soft_running(f, CTL_DEFAULT);
    soft_step(f, &int_n, 0x401002);
    expect(f, "FUP 401000; TIP 401002");
    soft_step(f, &int3, 0x401003);
    expect(f, "FUP 401002; TIP 401003");
}

/* Rows 11e and 13e; with a task switch, and with another mode. */
static void events(void **state)
{
    struct soft_fixture *f = *state;
    f->at = user(0x401000);
    soft_running(f, CTL_DEFAULT);
    soft_step(f, &jz, 0x401002);
    soft_event(f, kernel(KERNEL));
    expect(f, "TNT .; FUP 401002; TIP ffffffff81000000");
    soft_event(f, with_cr3(kernel(KERNEL + 0x100), 0x6000));
    expect(f, "FUP ffffffff81000000; PIP 6000 NR; TIP ffffffff81000100");
    soft_event(f, (struct soft_context){.ip = 0x7000, .cr3 = 0x6000});
    expect(f, "FUP ffffffff81000100; MODE.Exec 16; TIP 7000");
}

/* Rows 11a to 11c. */
static void events_and_the_context(void **state)
{
    struct soft_fixture *f = *state;
    f->at = user(0x401000);
    soft_running(f, CTL_DEFAULT & ~RTIT_CTL_USER);
    soft_event(f, user(0x402000));
    expect(f, "");
    soft_event(f, kernel(KERNEL));
    expect(f, "MODE.Exec 64; TIP.PGE ffffffff81000000");
    soft_event(f, user(0x402000));
    expect(f, "FUP ffffffff81000000; TIP.PGD -");
}

/* Row 5d, with the same value too. */
static void mov_to_cr3(void **state)
{
    struct soft_fixture *f = *state;
    soft_running(f, CTL_DEFAULT);
    soft_step(f, &jz, 0x401010);
    soft_step_to(f, &mov_cr3, with_cr3(kernel(0x401013), 0x6000));
    expect(f, "TNT !; PIP 6000 NR");
    soft_step_to(f, &mov_cr3, with_cr3(kernel(0x401016), 0x6000));
    expect(f, "PIP 6000 NR");
}

/* Rows 5c, 5a, 5b. CR3[11:0] does not count: it may be a PCID. */
static void mov_to_cr3_and_its_filter(void **state)
{
    struct soft_fixture *f = *state;
    soft_pt_write(&f->pt, IA32_RTIT_CR3_MATCH, 0x5000);
    soft_running(f, CTL_DEFAULT | RTIT_CTL_CR3_FILTER);
    soft_step_to(f, &mov_cr3, with_cr3(kernel(0x401003), 0x5001));
    expect(f, "PIP 5000 NR");
    assert_true(soft_pt_must_step(&f->pt, false, 0x6000)); /* one more, whose end is not traced */
    soft_step_to(f, &mov_cr3, with_cr3(kernel(0x401006), 0x6000));
    expect(f, "TIP.PGD -");
    soft_step_to(f, &mov_cr3, with_cr3(kernel(0x401009), 0x7000));
    soft_step(f, &jmp_rax, 0x402000);
    expect(f, "");
    assert_false(soft_pt_must_step(&f->pt, false, 0x7000));
    assert_true(soft_pt_must_step(&f->pt, false, 0x5fff));
    soft_step_to(f, &mov_cr3, with_cr3(kernel(0x402003), 0x5000));
    expect(f, "PIP 5000 NR; TIP.PGE 402003");
}

/* Root mode has loaded it for the guest, which is after the instruction. */
static void cr3_changes_between_two_steps(void **state)
{
    struct soft_fixture *f = *state;
    soft_running(f, CTL_DEFAULT);
    f->at = with_cr3(kernel(0x401003), 0x6000);
    soft_step(f, &jmp_rax, 0x402000);
    expect(f, "PIP 6000 NR; TIP 402000");
}

/* The guest ran without being stepped, and is now in the address space that is traced. */
static void it_returns_after_running_without_steps(void **state)
{
    struct soft_fixture *f = *state;
    soft_pt_write(&f->pt, IA32_RTIT_CR3_MATCH, 0x5000);
    soft_running(f, CTL_DEFAULT | RTIT_CTL_CR3_FILTER);
    soft_step(f, &call, 0x402000);
    soft_step_to(f, &mov_cr3, with_cr3(kernel(0x402003), 0x6000));
    soft_text(f);
    f->at = kernel(0x8000);
    soft_step(f, &ret, 0x401005);
    expect(f, "PIP 5000 NR; TIP.PGE 8000; TIP 401005");
}

/* An instruction that exits is emulated by root mode: the next packet is for the guest's state after that. */
static void root_emulates_an_instruction(void **state)
{
    struct soft_fixture *f = *state;
    soft_running(f, CTL_DEFAULT);
    soft_pt_step_begin(&f->pt, &f->at);
    f->at.ip += 2;
    soft_event(f, kernel(KERNEL));
    expect(f, "FUP 401002; TIP ffffffff81000000");
}

static void a_psb_follows_the_last_packet_of_a_transfer(void **state)
{
    struct soft_fixture *f = *state;
    soft_running(f, CTL_DEFAULT);
    f->pt.packet_bytes = 2048;
    soft_event(f, with_cr3(kernel(KERNEL), 0x6000));
    expect(f, "FUP 401000; PIP 6000 NR; TIP ffffffff81000000; "
              "PSB; PIP 6000 NR; MODE.TSX; MODE.Exec 64; FUP ffffffff81000000; PSBEND");
    f->pt.packet_bytes = 2048;
    soft_step_to(f, &mov_cr3, kernel(KERNEL + 3));
    expect(f, "PIP 5000 NR; PSB; PIP 5000 NR; MODE.TSX; MODE.Exec 64; FUP ffffffff81000003; PSBEND");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SOFT_TEST(far_branches_report_the_mode),
        SOFT_TEST(far_branches_report_cr3),
        SOFT_TEST(far_branches_leave_the_context),
        SOFT_TEST(user_only),
        SOFT_TEST(software_interrupts),
        SOFT_TEST(into_traps_or_continues),
        SOFT_TEST(int_n_always_traps),
        SOFT_TEST(events),
        SOFT_TEST(events_and_the_context),
        SOFT_TEST(mov_to_cr3),
        SOFT_TEST(mov_to_cr3_and_its_filter),
        SOFT_TEST(cr3_changes_between_two_steps),
        SOFT_TEST(it_returns_after_running_without_steps),
        SOFT_TEST(root_emulates_an_instruction),
        SOFT_TEST(a_psb_follows_the_last_packet_of_a_transfer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
