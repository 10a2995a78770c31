/* Call stacks: what each kind of transfer does to them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/decode/stack/stacks_fixture.h"

static void test_calls(void **state)
{
    struct stacks_fixture *fixture = *state;
    CALL(KERNEL_MAIN, KERNEL_WORK);
    CALL(KERNEL_WORK, KERNEL_HANDLER);
    stacks_heard(fixture, "|1 +main +work +handler ");
    RETURN(KERNEL_HANDLER, KERNEL_WORK);
    RETURN(KERNEL_WORK, KERNEL_MAIN);
    stacks_heard(fixture, "-handler -work ");
    /* The caller of main is not known. */
    RETURN(KERNEL_MAIN, KERNEL_RESTORER);
    stacks_heard(fixture, "-main +restorer ");
    assert_true(stacks_end(fixture->stacks));
    assert_int_equal(fixture->branches, 5 * 3);
}

static void test_jumps(void **state)
{
    struct stacks_fixture *fixture = *state;
    CALL(KERNEL_MAIN, KERNEL_WORK);
    JUMP(KERNEL_WORK, KERNEL_WORK + 0x40);
    JUMP(KERNEL_WORK, KERNEL_HANDLER); /* a tail call */
    stacks_heard(fixture, "|1 +main +work +handler ");
    JUMP(KERNEL_HANDLER, KERNEL_RESTORER);
    JUMP(KERNEL_RESTORER, KERNEL_WORK); /* and back */
    stacks_heard(fixture, "+restorer -restorer -handler ");
    JUMP(KERNEL_WORK, KERNEL_HANDLER);
    RETURN(KERNEL_HANDLER, KERNEL_MAIN);
    stacks_heard(fixture, "+handler -handler -work ");
    /* longjmp, or an exception: two frames at once */
    CALL(KERNEL_MAIN, KERNEL_WORK);
    CALL(KERNEL_WORK, KERNEL_HANDLER);
    RETURN(KERNEL_HANDLER, KERNEL_MAIN);
    stacks_heard(fixture, "+work +handler -handler -work ");
    /* By a conditional branch it went into another function: seen when that calls. */
    CALL(KERNEL_WORK, KERNEL_HANDLER);
    stacks_heard(fixture, "+work +handler ");
    /* The cold part is the function itself. */
    CALL(KERNEL_HANDLER, WORK);
    JUMP(WORK, WORK_COLD);
    JUMP(WORK_COLD, WORK + 0x50);
    RETURN(WORK, KERNEL_HANDLER);
    stacks_heard(fixture, "+kwork -kwork ");
}

/* longjmp in glibc is a JMP to the address after the CALL of setjmp; an exception returns to a landing pad. */
static void test_unwinding(void **state)
{
    struct stacks_fixture *fixture = *state;
    CALL(READ, KERNEL_MAIN);
    stacks_heard(fixture, "|1 +read +main ");
    for (int i = 0; i < 3; i++) {
        CALL(KERNEL_MAIN, KERNEL_WORK);
        CALL(KERNEL_WORK, KERNEL_WORK);
        CALL(KERNEL_WORK, KERNEL_HANDLER);
        stacks_heard(fixture, "+work +work +handler ");
        JUMP(KERNEL_HANDLER, KERNEL_MAIN + 0x45);
        stacks_heard(fixture, "-handler -work -work ");
    }
    CALL(KERNEL_MAIN, KERNEL_WORK);
    CALL(KERNEL_WORK, KERNEL_HANDLER);
    RETURN(KERNEL_HANDLER, KERNEL_MAIN + 0x200);
    stacks_heard(fixture, "+work +handler -handler -work ");
    /* The cold part of a function contains its landing pads. */
    CALL(KERNEL_MAIN, WORK);
    CALL(WORK, KERNEL_HANDLER);
    RETURN(KERNEL_HANDLER, WORK_COLD + 0x200);
    stacks_heard(fixture, "+kwork +handler -handler ");
    RETURN(WORK_COLD, KERNEL_MAIN);
    stacks_heard(fixture, "-kwork ");
    /* A jump to the begin of a function on the stack calls it again. */
    CALL(KERNEL_MAIN, KERNEL_WORK);
    JUMP(KERNEL_WORK, READ);
    stacks_heard(fixture, "+work +read ");
}

static void test_retpoline(void **state)
{
    struct stacks_fixture *fixture = *state;
    CALL(READ, THUNK);
    CALL(THUNK, THUNK + 0x30); /* a call into itself */
    stacks_on(fixture, fixture->stacks, TRANSFER_RETURN, THUNK + 0x80, WRITE);
    stacks_heard(fixture, "|1 +read +write ");
    RETURN(WRITE, READ);
    stacks_heard(fixture, "-write ");
    /* An interrupt between shows what is on the stack. */
    CALL(READ, THUNK);
    INTERRUPT(THUNK, IRQ);
    FAR_RETURN(IRQ, THUNK + 0x30);
    JUMP(THUNK, WRITE);
    stacks_heard(fixture, "+__x86_indirect_thunk_rax +irq -irq +write ");
    RETURN(WRITE, READ);
    stacks_heard(fixture, "-write -__x86_indirect_thunk_rax ");
}

static void test_return_thunk(void **state)
{
    struct stacks_fixture *fixture = *state;
    CALL(READ, WRITE);
    JUMP(WRITE, RETURN_THUNK);
    RETURN(RETURN_THUNK, READ);
    stacks_heard(fixture, "|1 +read +write -write ");
}

/* A retpoline whose RET is a thunk of its own: neither is between the caller and the function that it calls. */
static void test_retpoline_with_return_thunk(void **state)
{
    struct stacks_fixture *fixture = *state;
    CALL(READ, THUNK);
    CALL(THUNK, THUNK + 0x30);
    JUMP(THUNK, OTHER_RETURN_THUNK);
    stacks_on(fixture, fixture->stacks, TRANSFER_RETURN, OTHER_RETURN_THUNK, WRITE);
    stacks_heard(fixture, "|1 +read +write ");
    JUMP(WRITE, OTHER_RETURN_THUNK);
    stacks_on(fixture, fixture->stacks, TRANSFER_RETURN, OTHER_RETURN_THUNK, READ + 0x15);
    stacks_heard(fixture, "-write ");
}

/* IRET is used to serialize, too: it comes back to its own function, and ends no interrupt. */
static void test_serialize(void **state)
{
    struct stacks_fixture *fixture = *state;
    CALL(WORK, READ);
    INTERRUPT(READ, IRQ);
    FAR_RETURN(IRQ, IRQ + 0xa0);
    stacks_heard(fixture, "|1 +kwork +read +irq ");
    FAR_RETURN(IRQ, READ + 0x30);
    stacks_heard(fixture, "-irq ");
}

static void test_signal(void **state)
{
    struct stacks_fixture *fixture = *state;
    CALL(USER_MAIN, USER_WORK);
    SYSCALL(USER_WORK, SYSCALL_ENTRY);
    CALL(SYSCALL_ENTRY, READ);
    RETURN(READ, SYSCALL_ENTRY);
    FAR_RETURN(SYSCALL_ENTRY, USER_WORK + 0x12);
    stacks_heard(fixture, "|1 +401000 +402000 +entry +read -read -entry ");
    INTERRUPT(USER_WORK, IRQ);
    FAR_RETURN(IRQ, HANDLER); /* the kernel starts a handler */
    stacks_heard(fixture, "+irq -irq +403000 ");
    RETURN(HANDLER, RESTORER); /* within code that has no symbols */
    SYSCALL(RESTORER, SYSCALL_ENTRY);
    FAR_RETURN(SYSCALL_ENTRY, USER_WORK + 0x30);
    stacks_heard(fixture, "+entry -entry -403000 ");
    RETURN(USER_WORK, USER_MAIN);
    stacks_heard(fixture, "-402000 ");
    /* execve: another space, and a new stack. */
    SYSCALL(USER_MAIN, SYSCALL_ENTRY);
    fixture->cr3 = 0x9000;
    FAR_RETURN(SYSCALL_ENTRY, USER_WORK);
    stacks_heard(fixture, "+entry -entry -401000 +402000 ");
}

static void end_stretch(struct stacks *stacks, const struct flow_result *result)
{
    stacks_take(stacks, &(struct flow_batch){.kind = FLOW_BATCH_END, .result = result, .begin = result->begin});
}

static void test_gap(void **state)
{
    struct stacks_fixture *fixture = *state;
    struct flow_result result = {.begin = 0, .end = 100};
    CALL(WORK, READ);
    end_stretch(fixture->stacks, &result);
    fixture->begin = 100; /* the next stretch follows at once */
    CALL(READ, WRITE);
    stacks_heard(fixture, "|1 +kwork +read +write ");
    result = (struct flow_result){.begin = 100, .end = 200};
    end_stretch(fixture->stacks, &result);
    fixture->begin = 300;
    RETURN(WRITE, READ);
    stacks_heard(fixture, "lost |2 +write -write +read ");
    result = (struct flow_result){.begin = 300, .end = 400, .error = FLOW_ERROR_NO_CODE};
    end_stretch(fixture->stacks, &result);
    stacks_heard(fixture, "lost ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STACKS_TEST(test_calls),     STACKS_TEST(test_jumps),        STACKS_TEST(test_unwinding),
        STACKS_TEST(test_retpoline), STACKS_TEST(test_return_thunk), STACKS_TEST(test_retpoline_with_return_thunk),
        STACKS_TEST(test_serialize), STACKS_TEST(test_signal),       STACKS_TEST(test_gap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
