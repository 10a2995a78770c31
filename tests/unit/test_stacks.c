/* Call stacks: what each kind of transfer does to them, and which task goes on. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "decode/stack/stacks.h"

/* Functions of 1000H bytes; those of user mode are at the bottom, and have no symbols. */
#define USER_MAIN 0x401000ull
#define USER_WORK 0x402000ull
#define HANDLER 0x403000ull
#define RESTORER 0x404000ull
#define KERNEL(n) (0xffffffff81000000ull + (n)*0x1000)
#define SYSCALL_ENTRY KERNEL(0)
#define SCHEDULE KERNEL(1)
#define SWITCH_ASM KERNEL(2)
#define SWITCH_TO KERNEL(3)
#define FORKED KERNEL(4)
#define READ KERNEL(5)
#define WRITE KERNEL(6)
#define THUNK KERNEL(7)
#define IRQ KERNEL(8)
#define WORK KERNEL(9)
#define WORK_COLD KERNEL(10)
#define KERNEL_MAIN KERNEL(11)
#define KERNEL_WORK KERNEL(12)
#define KERNEL_HANDLER KERNEL(13)
#define KERNEL_RESTORER KERNEL(14)
#define DEAD KERNEL(15)

static const char map[] = "ffffffff81000000 T entry\n"
                          "ffffffff81001000 T schedule\n"
                          "ffffffff81002000 T __switch_to_asm\n"
                          "ffffffff81003000 T __switch_to\n"
                          "ffffffff81004000 T ret_from_fork\n"
                          "ffffffff81005000 T read\n"
                          "ffffffff81006000 T write\n"
                          "ffffffff81007000 T __x86_indirect_thunk_rax\n"
                          "ffffffff81008000 T irq\n"
                          "ffffffff81009000 T kwork\n"
                          "ffffffff8100a000 T kwork.cold\n"
                          "ffffffff8100b000 T main\n"
                          "ffffffff8100c000 T work\n"
                          "ffffffff8100d000 T handler\n"
                          "ffffffff8100e000 T restorer\n"
                          "ffffffff8100f000 T do_task_dead\n"
                          "ffffffff81010000 T end\n";

struct fixture {
    struct names *names;
    struct code_pages pages;
    struct stacks *stacks, *other;
    char log[1024];
    uint64_t branches, lost_branches;
    uint64_t cr3, tsc, begin;
};

static void say(struct fixture *fixture, const char *format, ...)
{
    const size_t used = strlen(fixture->log);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(fixture->log + used, sizeof(fixture->log) - used, format, arguments);
    va_end(arguments);
}

static void say_top(struct fixture *fixture, char what, const struct stack_task *task)
{
    const struct name *name = task->frames[task->depth - 1].name;
    if (name->symbol)
        say(fixture, "%c%s ", what, name->symbol);
    else
        say(fixture, "%c%" PRIx64 " ", what, name->begin);
}

static void enter(void *context, struct stack_task *task, uint64_t tsc)
{
    (void)tsc;
    say_top(context, '+', task);
}

static void leave(void *context, struct stack_task *task, uint64_t tsc)
{
    (void)tsc;
    say_top(context, '-', task);
}

static void spend(void *context, struct stack_task *task, uint64_t branches, uint64_t tsc)
{
    struct fixture *fixture = context;
    (void)tsc;
    *(task ? &fixture->branches : &fixture->lost_branches) += branches;
}

static void run(void *context, struct stack_task *task, uint64_t tsc)
{
    (void)tsc;
    say(context, task ? "|%u " : "| ", task ? task->number : 0);
}

static void lost(void *context, uint64_t tsc)
{
    (void)tsc;
    say(context, "lost ");
}

static void end(void *context, struct stack_task *task, uint64_t tsc)
{
    (void)tsc;
    say(context, "end %u ", task->number);
}

static int set_up(void **state)
{
    char name[] = "/tmp/undertrace-stacks-XXXXXX";
    const int file = mkstemp(name);
    struct fixture *fixture = calloc(1, sizeof(*fixture));
    const struct capture capture = {0};
    const struct names_options options = {.symbols = name};
    struct error error = {0};
    assert_non_null(fixture);
    assert_true(file >= 0);
    assert_int_equal(write(file, map, sizeof(map) - 1), sizeof(map) - 1);
    close(file);
    fixture->names = names_open(&capture, &options, &error);
    unlink(name);
    const struct stack_hooks hooks = {enter, leave, spend, run, lost, fixture, end};
    fixture->pages.nr_maps = 1;
    fixture->stacks = stacks_open(fixture->names, &fixture->pages, &hooks);
    fixture->other = stacks_open(fixture->names, &fixture->pages, &hooks);
    stacks_share(fixture->other, fixture->stacks);
    fixture->cr3 = 0x1000;
    *state = fixture;
    return fixture->names && fixture->stacks && fixture->other ? 0 : -1;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    stacks_close(fixture->stacks);
    stacks_close(fixture->other);
    names_close(fixture->names);
    free(fixture);
    return 0;
}

static void on(struct fixture *fixture, struct stacks *stacks, enum flow_transfer_kind kind, uint64_t from, uint64_t to)
{
    const struct flow_transfer item = {.from = from, .to = to, .kind = kind, .before = 2};
    const struct flow_transfers transfers = {
        .items = &item, .count = 1, .cr3 = fixture->cr3, .tsc = ++fixture->tsc, .begin = fixture->begin};
    stacks_transfers(stacks, &transfers);
}

#define CALL(from, to) on(fixture, fixture->stacks, FLOW_TRANSFER_CALL, (from) + 0x10, to)
#define RETURN(from, to) on(fixture, fixture->stacks, FLOW_TRANSFER_RETURN, (from) + 0x80, (to) + 0x15)
#define JUMP(from, to) on(fixture, fixture->stacks, FLOW_TRANSFER_JUMP, (from) + 0x20, to)
#define SYSCALL(from, to) on(fixture, fixture->stacks, FLOW_TRANSFER_FAR_CALL, (from) + 0x10, to)
#define INTERRUPT(from, to) on(fixture, fixture->stacks, FLOW_TRANSFER_INTERRUPT, (from) + 0x30, to)
#define FAR_RETURN(from, to) on(fixture, fixture->stacks, FLOW_TRANSFER_FAR_RETURN, (from) + 0x90, to)

static void heard(struct fixture *fixture, const char *wanted)
{
    assert_string_equal(fixture->log, wanted);
    fixture->log[0] = '\0';
}

static void test_calls(void **state)
{
    struct fixture *fixture = *state;
    CALL(KERNEL_MAIN, KERNEL_WORK);
    CALL(KERNEL_WORK, KERNEL_HANDLER);
    heard(fixture, "|1 +main +work +handler ");
    RETURN(KERNEL_HANDLER, KERNEL_WORK);
    RETURN(KERNEL_WORK, KERNEL_MAIN);
    heard(fixture, "-handler -work ");
    /* Nobody knows what called main. */
    RETURN(KERNEL_MAIN, KERNEL_RESTORER);
    heard(fixture, "-main +restorer ");
    assert_true(stacks_end(fixture->stacks));
    assert_int_equal(fixture->branches, 5 * 3);
}

static void test_jumps(void **state)
{
    struct fixture *fixture = *state;
    CALL(KERNEL_MAIN, KERNEL_WORK);
    JUMP(KERNEL_WORK, KERNEL_WORK + 0x40);
    JUMP(KERNEL_WORK, KERNEL_HANDLER); /* a tail call */
    heard(fixture, "|1 +main +work +handler ");
    JUMP(KERNEL_HANDLER, KERNEL_RESTORER);
    JUMP(KERNEL_RESTORER, KERNEL_WORK); /* and back */
    heard(fixture, "+restorer -restorer -handler ");
    JUMP(KERNEL_WORK, KERNEL_HANDLER);
    RETURN(KERNEL_HANDLER, KERNEL_MAIN);
    heard(fixture, "+handler -handler -work ");
    /* longjmp, or an exception: two frames at once */
    CALL(KERNEL_MAIN, KERNEL_WORK);
    CALL(KERNEL_WORK, KERNEL_HANDLER);
    RETURN(KERNEL_HANDLER, KERNEL_MAIN);
    heard(fixture, "+work +handler -handler -work ");
    /* By a conditional branch it went into another function: seen when that calls. */
    CALL(KERNEL_WORK, KERNEL_HANDLER);
    heard(fixture, "+work +handler ");
    /* The cold part is the function itself. */
    CALL(KERNEL_HANDLER, WORK);
    JUMP(WORK, WORK_COLD);
    JUMP(WORK_COLD, WORK + 0x50);
    RETURN(WORK, KERNEL_HANDLER);
    heard(fixture, "+kwork -kwork ");
}

static void test_retpoline(void **state)
{
    struct fixture *fixture = *state;
    CALL(READ, THUNK);
    CALL(THUNK, THUNK + 0x30); /* a call into itself */
    on(fixture, fixture->stacks, FLOW_TRANSFER_RETURN, THUNK + 0x80, WRITE);
    heard(fixture, "|1 +read +write ");
    RETURN(WRITE, READ);
    heard(fixture, "-write ");
    /* An interrupt between shows what is on the stack. */
    CALL(READ, THUNK);
    INTERRUPT(THUNK, IRQ);
    FAR_RETURN(IRQ, THUNK + 0x30);
    JUMP(THUNK, WRITE);
    heard(fixture, "+__x86_indirect_thunk_rax +irq -irq +write ");
    RETURN(WRITE, READ);
    heard(fixture, "-write -__x86_indirect_thunk_rax ");
}

static void test_signal(void **state)
{
    struct fixture *fixture = *state;
    CALL(USER_MAIN, USER_WORK);
    SYSCALL(USER_WORK, SYSCALL_ENTRY);
    CALL(SYSCALL_ENTRY, READ);
    RETURN(READ, SYSCALL_ENTRY);
    FAR_RETURN(SYSCALL_ENTRY, USER_WORK + 0x12);
    heard(fixture, "|1 +401000 +402000 +entry +read -read -entry ");
    INTERRUPT(USER_WORK, IRQ);
    FAR_RETURN(IRQ, HANDLER); /* the kernel starts a handler */
    heard(fixture, "+irq -irq +403000 ");
    RETURN(HANDLER, RESTORER); /* within code that has no symbols */
    SYSCALL(RESTORER, SYSCALL_ENTRY);
    FAR_RETURN(SYSCALL_ENTRY, USER_WORK + 0x30);
    heard(fixture, "+entry -entry -403000 ");
    RETURN(USER_WORK, USER_MAIN);
    heard(fixture, "-402000 ");
    /* exec: another space, and nothing of before counts. */
    SYSCALL(USER_MAIN, SYSCALL_ENTRY);
    fixture->cr3 = 0x9000;
    FAR_RETURN(SYSCALL_ENTRY, USER_WORK);
    heard(fixture, "+entry -entry -401000 +402000 ");
}

/* Away from the present task, which called schedule() in function. */
static void switch_from(struct fixture *fixture, uint64_t function, uint64_t to)
{
    CALL(function, SCHEDULE);
    CALL(SCHEDULE, SWITCH_ASM);
    CALL(SWITCH_ASM, SWITCH_ASM + 0x40); /* as the return stack buffer is filled */
    JUMP(SWITCH_ASM, SWITCH_TO);
    if (to == SCHEDULE)
        RETURN(SWITCH_TO, SCHEDULE);
    else
        on(fixture, fixture->stacks, FLOW_TRANSFER_RETURN, SWITCH_TO + 0x80, to);
}

/* The present task of a CPU, which called schedule() in function, is switched away from. */
static void switch_on(struct fixture *fixture, struct stacks *stacks, uint64_t function, uint64_t to)
{
    on(fixture, stacks, FLOW_TRANSFER_CALL, function + 0x10, SCHEDULE);
    on(fixture, stacks, FLOW_TRANSFER_CALL, SCHEDULE + 0x10, SWITCH_ASM);
    on(fixture, stacks, FLOW_TRANSFER_RETURN, SWITCH_ASM + 0x80, to);
}

static void test_switches(void **state)
{
    struct fixture *fixture = *state;
    CALL(WORK, READ);
    switch_from(fixture, READ, FORKED);
    heard(fixture, "|1 +kwork +read +schedule +__switch_to_asm +__switch_to -__switch_to -__switch_to_asm | |2 "
                   "+ret_from_fork ");
    CALL(FORKED, WRITE);
    switch_from(fixture, WRITE, FORKED);
    heard(fixture, "+write +schedule +__switch_to_asm +__switch_to -__switch_to -__switch_to_asm | |3 +ret_from_fork ");
    /* Both others stand in schedule(): its return tells which it is. */
    switch_from(fixture, FORKED, SCHEDULE);
    heard(fixture, "+schedule +__switch_to_asm +__switch_to -__switch_to -__switch_to_asm | ");
    CALL(SCHEDULE, IRQ);
    RETURN(IRQ, SCHEDULE);
    heard(fixture, "");
    RETURN(SCHEDULE, WRITE);
    heard(fixture, "|2 +irq -irq -schedule ");
    RETURN(WRITE, FORKED);
    heard(fixture, "-write ");
    /* Another CPU takes the one that is left of the first two. */
    fixture->log[0] = '\0';
    switch_on(fixture, fixture->other, WRITE, SCHEDULE + 0x15);
    on(fixture, fixture->other, FLOW_TRANSFER_RETURN, SCHEDULE + 0x80, READ + 0x15);
    heard(fixture, "|4 +write +schedule +__switch_to_asm -__switch_to_asm | |1 -schedule ");
    on(fixture, fixture->other, FLOW_TRANSFER_RETURN, READ + 0x80, WORK + 0x15);
    heard(fixture, "-read ");
}

/* Two idle tasks: none of their frames tells them apart. Each is looked for where it ran. */
static void test_alike(void **state)
{
    struct fixture *fixture = *state;
    switch_on(fixture, fixture->stacks, WORK, FORKED); /* puts 1 aside, 2 begins */
    switch_on(fixture, fixture->other, WORK, FORKED);  /* puts 3 aside, 4 begins */
    fixture->log[0] = '\0';
    switch_on(fixture, fixture->other, FORKED, SCHEDULE + 0x15);
    on(fixture, fixture->other, FLOW_TRANSFER_RETURN, SCHEDULE + 0x80, WORK + 0x15);
    heard(fixture, "+schedule +__switch_to_asm -__switch_to_asm | ");
    /* No return has told; the next switch does not wait for one. */
    on(fixture, fixture->other, FLOW_TRANSFER_CALL, WORK + 0x10, SCHEDULE);
    on(fixture, fixture->other, FLOW_TRANSFER_CALL, SCHEDULE + 0x10, SWITCH_ASM);
    heard(fixture, "|3 -schedule +schedule +__switch_to_asm ");
}

/* A task that may be the one that goes on here goes on elsewhere, and ends there. */
static void test_death(void **state)
{
    struct fixture *fixture = *state;
    CALL(READ, WRITE);
    switch_on(fixture, fixture->stacks, WRITE, FORKED);         /* 1 waits in write */
    switch_on(fixture, fixture->stacks, FORKED, FORKED);        /* 2 waits in ret_from_fork; 3 runs */
    switch_on(fixture, fixture->stacks, WORK, SCHEDULE + 0x15); /* 1 or 2? */
    on(fixture, fixture->other, FLOW_TRANSFER_CALL, WORK + 0x10, IRQ);
    switch_on(fixture, fixture->other, IRQ, SCHEDULE + 0x15);
    on(fixture, fixture->other, FLOW_TRANSFER_RETURN, SCHEDULE + 0x80, WRITE + 0x15); /* 1, here */
    fixture->log[0] = '\0';
    on(fixture, fixture->other, FLOW_TRANSFER_CALL, WRITE + 0x20, DEAD);
    switch_on(fixture, fixture->other, DEAD, FORKED);
    heard(fixture, "+do_task_dead +schedule +__switch_to_asm -__switch_to_asm end 1 | |5 +ret_from_fork ");
    RETURN(SCHEDULE, FORKED);
    heard(fixture, "|2 -schedule ");
}

static void test_space_tells(void **state)
{
    struct fixture *fixture = *state;
    for (unsigned i = 0; i < 2; i++) { /* two programs, in the same system call */
        fixture->cr3 = 0x10000 + i * 0x10000;
        SYSCALL(USER_MAIN, SYSCALL_ENTRY);
        FAR_RETURN(SYSCALL_ENTRY, USER_MAIN + 0x12);
        SYSCALL(USER_MAIN, SYSCALL_ENTRY);
        switch_from(fixture, SYSCALL_ENTRY, FORKED);
    }
    fixture->log[0] = '\0';
    fixture->cr3 = 0x10000;
    switch_from(fixture, FORKED, SCHEDULE);
    fixture->log[0] = '\0';
    RETURN(SCHEDULE, SYSCALL_ENTRY);
    FAR_RETURN(SYSCALL_ENTRY, USER_MAIN + 0x12);
    heard(fixture, "|1 -schedule -entry ");
}

static void test_gap(void **state)
{
    struct fixture *fixture = *state;
    struct flow_result result = {.begin = 0, .end = 100};
    CALL(WORK, READ);
    stacks_result(fixture->stacks, &result);
    fixture->begin = 100; /* the next stretch follows at once */
    CALL(READ, WRITE);
    heard(fixture, "|1 +kwork +read +write ");
    result = (struct flow_result){.begin = 100, .end = 200};
    stacks_result(fixture->stacks, &result);
    fixture->begin = 300;
    RETURN(WRITE, READ);
    heard(fixture, "lost |2 +write -write +read ");
    result = (struct flow_result){.begin = 300, .end = 400, .error = FLOW_ERROR_NO_CODE};
    stacks_result(fixture->stacks, &result);
    heard(fixture, "lost ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_calls, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_jumps, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_retpoline, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_signal, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_switches, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_alike, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_death, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_space_tells, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_gap, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
