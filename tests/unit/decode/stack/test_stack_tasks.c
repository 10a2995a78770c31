/* Call stacks of several tasks: which task continues after a switch. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/decode/stack/stacks_fixture.h"

/* Switch away from the running task, which called schedule() in function. */
static void switch_from(struct stacks_fixture *fixture, uint64_t function, uint64_t to)
{
    CALL(function, SCHEDULE);
    CALL(SCHEDULE, SWITCH_ASM);
    CALL(SWITCH_ASM, SWITCH_ASM + 0x40); /* as the return stack buffer is filled */
    JUMP(SWITCH_ASM, SWITCH_TO);
    if (to == SCHEDULE)
        RETURN(SWITCH_TO, SCHEDULE);
    else
        stacks_on(fixture, fixture->stacks, TRANSFER_RETURN, SWITCH_TO + 0x80, to);
}

/* The present task of a CPU, which called schedule() in function, is switched away from. */
static void switch_on(struct stacks_fixture *fixture, struct stacks *stacks, uint64_t function, uint64_t to)
{
    stacks_on(fixture, stacks, TRANSFER_CALL, function + 0x10, SCHEDULE);
    stacks_on(fixture, stacks, TRANSFER_CALL, SCHEDULE + 0x10, SWITCH_ASM);
    stacks_on(fixture, stacks, TRANSFER_RETURN, SWITCH_ASM + 0x80, to);
}

static void test_switches(void **state)
{
    struct stacks_fixture *fixture = *state;
    CALL(WORK, READ);
    switch_from(fixture, READ, FORKED);
    stacks_heard(fixture, "|1 +kwork +read +schedule +__switch_to_asm +__switch_to -__switch_to -__switch_to_asm | |2 "
                          "+ret_from_fork ");
    CALL(FORKED, WRITE);
    switch_from(fixture, WRITE, FORKED);
    stacks_heard(fixture,
                 "+write +schedule +__switch_to_asm +__switch_to -__switch_to -__switch_to_asm | |3 +ret_from_fork ");
    /* Both others wait in schedule(): its return shows which one it is. */
    switch_from(fixture, FORKED, SCHEDULE);
    stacks_heard(fixture, "+schedule +__switch_to_asm +__switch_to -__switch_to -__switch_to_asm | ");
    CALL(SCHEDULE, IRQ);
    RETURN(IRQ, SCHEDULE);
    stacks_heard(fixture, "");
    RETURN(SCHEDULE, WRITE);
    stacks_heard(fixture, "|2 +irq -irq -schedule ");
    RETURN(WRITE, FORKED);
    stacks_heard(fixture, "-write ");
    /* Another CPU continues the other one of the first two. */
    fixture->log[0] = '\0';
    switch_on(fixture, fixture->other, WRITE, SCHEDULE + 0x15);
    stacks_on(fixture, fixture->other, TRANSFER_RETURN, SCHEDULE + 0x80, READ + 0x15);
    stacks_heard(fixture, "|4 +write +schedule +__switch_to_asm -__switch_to_asm | |1 -schedule ");
    stacks_on(fixture, fixture->other, TRANSFER_RETURN, READ + 0x80, WORK + 0x15);
    stacks_heard(fixture, "-read ");
}

/* Two idle tasks with the same frames: each is assumed to continue on the CPU where it ran. */
static void test_alike(void **state)
{
    struct stacks_fixture *fixture = *state;
    switch_on(fixture, fixture->stacks, WORK, FORKED); /* puts 1 aside, 2 begins */
    switch_on(fixture, fixture->other, WORK, FORKED);  /* puts 3 aside, 4 begins */
    fixture->log[0] = '\0';
    switch_on(fixture, fixture->other, FORKED, SCHEDULE + 0x15);
    stacks_on(fixture, fixture->other, TRANSFER_RETURN, SCHEDULE + 0x80, WORK + 0x15);
    stacks_heard(fixture, "+schedule +__switch_to_asm -__switch_to_asm | ");
    /* No return has decided it; the next switch does not wait for one. */
    stacks_on(fixture, fixture->other, TRANSFER_CALL, WORK + 0x10, SCHEDULE);
    stacks_on(fixture, fixture->other, TRANSFER_CALL, SCHEDULE + 0x10, SWITCH_ASM);
    stacks_heard(fixture, "|3 -schedule +schedule +__switch_to_asm ");
}

/* A candidate for this CPU's switch continues on another CPU, and exits there. */
static void test_death(void **state)
{
    struct stacks_fixture *fixture = *state;
    CALL(READ, WRITE);
    switch_on(fixture, fixture->stacks, WRITE, FORKED);         /* 1 waits in write */
    switch_on(fixture, fixture->stacks, FORKED, FORKED);        /* 2 waits in ret_from_fork; 3 runs */
    switch_on(fixture, fixture->stacks, WORK, SCHEDULE + 0x15); /* 1 or 2? */
    stacks_on(fixture, fixture->other, TRANSFER_CALL, WORK + 0x10, IRQ);
    switch_on(fixture, fixture->other, IRQ, SCHEDULE + 0x15);
    stacks_on(fixture, fixture->other, TRANSFER_RETURN, SCHEDULE + 0x80, WRITE + 0x15); /* 1, here */
    fixture->log[0] = '\0';
    stacks_on(fixture, fixture->other, TRANSFER_CALL, WRITE + 0x20, DEAD);
    switch_on(fixture, fixture->other, DEAD, FORKED);
    stacks_heard(fixture, "+do_task_dead +schedule +__switch_to_asm -__switch_to_asm end 1 | |5 +ret_from_fork ");
    RETURN(SCHEDULE, FORKED);
    stacks_heard(fixture, "|2 -schedule ");
}

/* Two programs wait in the same system call, and the first continues. isolated: with page-table isolation, the CR3 bit
 * of the user's tables. */
static void two_programs(struct stacks_fixture *fixture, uint64_t isolated)
{
    for (unsigned i = 0; i < 2; i++) {
        const uint64_t kernel = 0x10000 + i * 0x10000;
        fixture->cr3 = kernel | isolated;
        SYSCALL(USER_MAIN, SYSCALL_ENTRY);
        fixture->cr3 = kernel;
        CALL(SYSCALL_ENTRY, READ);
        RETURN(READ, SYSCALL_ENTRY);
        fixture->cr3 = kernel | isolated;
        FAR_RETURN(SYSCALL_ENTRY, USER_MAIN + 0x12);
        SYSCALL(USER_MAIN, SYSCALL_ENTRY);
        fixture->cr3 = kernel;
        switch_from(fixture, SYSCALL_ENTRY, FORKED);
    }
    fixture->cr3 = 0x10000;
    switch_from(fixture, FORKED, SCHEDULE);
    fixture->log[0] = '\0';
    RETURN(SCHEDULE, SYSCALL_ENTRY);
    fixture->cr3 = 0x10000 | isolated;
    FAR_RETURN(SYSCALL_ENTRY, USER_MAIN + 0x12);
    stacks_heard(fixture, "|1 -schedule -entry ");
}

static void test_space_decides(void **state)
{
    two_programs(*state, 0);
}

static void test_isolated_space_decides(void **state)
{
    two_programs(*state, 0x1000);
}

/* A task that exits has released its space: it continues in the space of another task. */
static void test_exit_in_another_space(void **state)
{
    struct stacks_fixture *fixture = *state;
    fixture->cr3 = 0x10000;
    SYSCALL(USER_MAIN, SYSCALL_ENTRY);
    FAR_RETURN(SYSCALL_ENTRY, USER_MAIN + 0x12);
    SYSCALL(USER_MAIN, SYSCALL_ENTRY);
    CALL(SYSCALL_ENTRY, EXIT);
    switch_from(fixture, EXIT, FORKED);
    fixture->cr3 = 0x20000;
    switch_from(fixture, FORKED, SCHEDULE);
    fixture->log[0] = '\0';
    RETURN(SCHEDULE, EXIT);
    RETURN(EXIT, SYSCALL_ENTRY);
    stacks_heard(fixture, "|1 -schedule -do_exit ");
}

/* A program of space 10000H waits in read() when a part of the trace is skipped. */
static void pass_over_while_read_waits(struct stacks_fixture *fixture)
{
    fixture->cr3 = 0x10000;
    SYSCALL(USER_MAIN, SYSCALL_ENTRY);
    CALL(SYSCALL_ENTRY, READ);
    switch_from(fixture, READ, FORKED);
    stacks_pass_over(fixture->stacks);
}

/* A part of the trace is skipped: a suspended task continues with its stack and space; the task that ran is unknown. */
static void test_pass_over(void **state)
{
    struct stacks_fixture *fixture = *state;
    pass_over_while_read_waits(fixture);
    fixture->log[0] = '\0';
    CALL(IRQ, WRITE);
    stacks_heard(fixture, "|3 +irq +write ");
    switch_from(fixture, WRITE, SCHEDULE);
    fixture->log[0] = '\0';
    RETURN(SCHEDULE, READ);
    RETURN(READ, SYSCALL_ENTRY);
    stacks_heard(fixture, ""); /* a task that was never seen may wait in the same functions */
    FAR_RETURN(SYSCALL_ENTRY, USER_MAIN + 0x12);
    stacks_heard(fixture, "|1 -schedule -read -entry ");
}

/* The skipped part has started an unknown task, which runs in the space of a suspended one. */
static void test_stranger(void **state)
{
    struct stacks_fixture *fixture = *state;
    pass_over_while_read_waits(fixture);
    CALL(IRQ, WRITE);
    switch_from(fixture, WRITE, SCHEDULE);
    fixture->log[0] = '\0';
    RETURN(SCHEDULE, KERNEL_WORK);
    stacks_heard(fixture, "|4 +schedule -schedule +work ");
    switch_from(fixture, KERNEL_WORK, SCHEDULE);
    fixture->log[0] = '\0';
    RETURN(SCHEDULE, READ);
    RETURN(READ, SYSCALL_ENTRY);
    FAR_RETURN(SYSCALL_ENTRY, USER_MAIN + 0x12);
    stacks_heard(fixture, "|1 -schedule -read -entry ");
}

/* A task that was never seen continues in the space of a suspended one, and like it in read(). */
static void stranger_returns(struct stacks_fixture *fixture)
{
    fixture->cr3 = 0x10000;
    SYSCALL(USER_MAIN, SYSCALL_ENTRY);
    CALL(SYSCALL_ENTRY, READ);
    switch_from(fixture, READ, SCHEDULE);
    fixture->log[0] = '\0';
    RETURN(SCHEDULE, READ);
    stacks_heard(fixture, "");
    RETURN(READ, KERNEL_WORK);
}

static void test_begins_in_the_middle(void **state)
{
    struct stacks_fixture *fixture = *state;
    fixture->begin = 4096;
    stranger_returns(fixture);
    stacks_heard(fixture, "|2 +schedule -schedule +read -read +work ");
}

static void test_stranger_after_a_gap(void **state)
{
    struct stacks_fixture *fixture = *state;
    CALL(IRQ, WRITE);
    stacks_restart(fixture->stacks);
    stranger_returns(fixture);
    stacks_heard(fixture, "|3 +schedule -schedule +read -read +work ");
}

static void test_one_cpu_of_several(void **state)
{
    struct stacks_fixture *fixture = *state;
    stacks_of_one_cpu(fixture->stacks);
    stranger_returns(fixture);
    stacks_heard(fixture, "|2 +schedule -schedule +read -read +work ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STACKS_TEST(test_switches),
        STACKS_TEST(test_alike),
        STACKS_TEST(test_death),
        STACKS_TEST(test_space_decides),
        STACKS_TEST(test_isolated_space_decides),
        STACKS_TEST(test_exit_in_another_space),
        STACKS_TEST(test_pass_over),
        STACKS_TEST(test_stranger),
        STACKS_TEST(test_begins_in_the_middle),
        STACKS_TEST(test_stranger_after_a_gap),
        STACKS_TEST(test_one_cpu_of_several),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
