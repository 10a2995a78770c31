/* Stacks with hooks that log: "+f": f was entered, "-f": f was left, "|n": task n runs. Names are from a System.map. */
#ifndef TESTS_UNIT_DECODE_STACK_STACKS_FIXTURE_H
#define TESTS_UNIT_DECODE_STACK_STACKS_FIXTURE_H

#include "decode/stack/stacks.h"
#include "decode/stack/transfer.h"

/* Functions of 1000H bytes each; those of user mode are in the lower half, and have no symbols. */
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
#define RETURN_THUNK KERNEL(16)
#define EXIT KERNEL(17)
#define OTHER_RETURN_THUNK KERNEL(18)

struct stacks_fixture {
    struct names *names;
    struct code_pages pages;
    struct stacks *stacks, *other;
    struct stack_hooks hooks;
    char log[1024];
    uint64_t branches, lost_branches;
    uint64_t cr3, tsc, begin;
};

/* For cmocka; *state is the fixture. */
int stacks_set_up(void **state);
int stacks_tear_down(void **state);
#define STACKS_TEST(name) cmocka_unit_test_setup_teardown(name, stacks_set_up, stacks_tear_down)

/* Hooks that write to the fixture's log, for more stacks. */
const struct stack_hooks *stacks_hooks_of(struct stacks_fixture *fixture);

/* One transfer of a CPU, after two conditional branches. */
void stacks_on(struct stacks_fixture *fixture, struct stacks *stacks, enum transfer_kind kind, uint64_t from,
               uint64_t to);

/* What was logged since the last time. */
void stacks_heard(struct stacks_fixture *fixture, const char *wanted);

#define CALL(from, to) stacks_on(fixture, fixture->stacks, TRANSFER_CALL, (from) + 0x10, to)
#define RETURN(from, to) stacks_on(fixture, fixture->stacks, TRANSFER_RETURN, (from) + 0x80, (to) + 0x15)
#define JUMP(from, to) stacks_on(fixture, fixture->stacks, TRANSFER_JUMP, (from) + 0x20, to)
#define SYSCALL(from, to) stacks_on(fixture, fixture->stacks, TRANSFER_FAR_CALL, (from) + 0x10, to)
#define INTERRUPT(from, to) stacks_on(fixture, fixture->stacks, TRANSFER_INTERRUPT, (from) + 0x30, to)
#define FAR_RETURN(from, to) stacks_on(fixture, fixture->stacks, TRANSFER_FAR_RETURN, (from) + 0x90, to)

#endif
