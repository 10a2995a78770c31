/* Sums over a call tree: functions, processes, phases, interrupts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "decode/report/profile_report.h"
#include "tests/unit/decode/stack/stacks_fixture.h"

static struct profile profile;
static struct profile_cpu profile_cpu;

/* The fixture's stacks, with a profile as their listener. */
static int set_up(void **state)
{
    if (stacks_set_up(state) != 0)
        return -1;
    struct stacks_fixture *fixture = *state;
    if (!profile_init(&profile, fixture->names))
        return -1;
    const struct stack_hooks hooks = profile_hooks(&profile_cpu, &profile);
    stacks_close(fixture->stacks);
    fixture->stacks = stacks_open(fixture->names, &fixture->pages, &hooks);
    return fixture->stacks ? 0 : -1;
}

static int tear_down(void **state)
{
    profile_free(&profile);
    return stacks_tear_down(state);
}

/* The sums of the function with this symbol. */
static struct profile_function function_of(const char *symbol)
{
    size_t count;
    struct profile_function *functions = profile_functions(&profile, 0, &count), found = {0};
    assert_non_null(functions);
    for (size_t i = 0; i < count; i++)
        if (functions[i].name->symbol && !strcmp(functions[i].name->symbol, symbol))
            found = functions[i];
    free(functions);
    return found;
}

/* Each transfer of the fixture takes three branches and a tick of the function that it leaves. */
static void test_functions(void **state)
{
    struct stacks_fixture *fixture = *state;
    CALL(WORK, READ);
    CALL(READ, READ); /* recursion: its cost counts once */
    RETURN(READ, READ);
    CALL(READ, WRITE);
    RETURN(WRITE, READ);
    RETURN(READ, WORK);
    CALL(WORK, WRITE);
    RETURN(WRITE, WORK);
    assert_true(stacks_end(fixture->stacks));
    const struct profile_function work = function_of("kwork"), reads = function_of("read"),
                                  writes = function_of("write");
    assert_int_equal(work.calls, 1);
    assert_int_equal(work.branches, 2 * 3);
    assert_int_equal(work.total_branches, 8 * 3);
    assert_int_equal(reads.calls, 2);
    assert_int_equal(reads.branches, 4 * 3);
    assert_int_equal(reads.total_branches, 5 * 3);
    assert_int_equal(writes.calls, 2);
    assert_int_equal(writes.branches, 2 * 3);
    assert_int_equal(writes.total_branches, 2 * 3);
    assert_int_equal(profile.branches, 8 * 3);
    assert_int_equal(profile.lost_branches, 0);
    assert_int_equal(work.total_ticks, 7); /* since the first known time */
}

static void test_interrupts(void **state)
{
    struct stacks_fixture *fixture = *state;
    size_t count;
    CALL(WORK, READ);
    for (unsigned i = 0; i < 3; i++) {
        INTERRUPT(READ, IRQ);
        CALL(IRQ, WRITE);
        RETURN(WRITE, IRQ);
        FAR_RETURN(IRQ, READ + 0x30);
    }
    struct profile_function *entries = profile_entries(&profile, STACK_INTERRUPT, &count);
    assert_int_equal(count, 1);
    assert_string_equal(entries[0].name->symbol, "irq");
    assert_int_equal(entries[0].calls, 3);
    assert_int_equal(entries[0].total_branches, 3 * 3 * 3);
    free(entries);
    assert_null(profile_entries(&profile, STACK_SIGNAL, &count));
}

/* A program, and another one later in the same task: two processes, in addition to the kernel tasks. */
static void test_processes(void **state)
{
    struct stacks_fixture *fixture = *state;
    size_t count;
    CALL(WORK, SYSCALL_ENTRY);
    FAR_RETURN(SYSCALL_ENTRY, USER_MAIN);
    CALL(USER_MAIN, USER_WORK);
    SYSCALL(USER_WORK, SYSCALL_ENTRY);
    fixture->cr3 = 0x9000;
    FAR_RETURN(SYSCALL_ENTRY, USER_MAIN);
    CALL(USER_MAIN, USER_WORK);
    assert_true(stacks_end(fixture->stacks));
    struct profile_sum *sums = profile_sums(&profile, &count);
    assert_int_equal(count, 3);
    uint64_t branches = 0, spaces = 0;
    for (size_t i = 0; i < count; i++) {
        branches += sums[i].branches;
        spaces |= 1u << (profile.processes[sums[i].process].space == FLOW_CR3_UNKNOWN ? 0
                         : profile.processes[sums[i].process].space == 0x1000         ? 1
                                                                                      : 2);
    }
    free(sums);
    assert_int_equal(branches, profile.branches);
    assert_int_equal(spaces, 7);
    assert_true(profile.marks[PROFILE_USER].known);
}

/* Each phase ends where the next begins, and each branch belongs to one phase. */
static void test_phases(void **state)
{
    struct stacks_fixture *fixture = *state;
    struct profile_phase phases[PROFILE_MAX_PHASES];
    CALL(USER_MAIN, USER_WORK); /* code before the kernel is at the bottom, too */
    JUMP(USER_WORK, WORK);
    CALL(WORK, SYSCALL_ENTRY);
    FAR_RETURN(SYSCALL_ENTRY, USER_MAIN);
    CALL(USER_MAIN, USER_WORK);
    assert_true(stacks_end(fixture->stacks));
    const size_t count = profile_phases(phases, &profile);
    assert_int_equal(count, 3);
    uint64_t branches = 0;
    for (size_t i = 0; i < count; i++) {
        branches += phases[i].branches;
        assert_int_equal(phases[i].from_tsc, i ? phases[i - 1].to_tsc : profile.first_tsc);
    }
    assert_int_equal(branches, profile.branches);
    assert_int_equal(phases[count - 1].to_tsc, profile.last_tsc);
    assert_string_equal(phases[0].name, "before the kernel");
    assert_string_equal(phases[2].name, "user space");
    assert_int_equal(phases[0].branches, 2 * 3);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_functions),
        TEST(test_interrupts),
        TEST(test_processes),
        TEST(test_phases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
