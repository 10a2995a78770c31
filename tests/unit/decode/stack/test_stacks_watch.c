/* Stacks at each moment of a trace: for undertrace gdb. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/decode/stack/stacks_fixture.h"

static char seen[1024];

/* "taken:task function function", or "taken:-" if it is not known what runs. */
static void after(void *context, const struct stack_task *task, struct stacks_moment moment)
{
    const uint64_t *stretch = context;
    size_t used = strlen(seen);
    assert_int_equal(moment.stretch, *stretch);
    used += (size_t)snprintf(seen + used, sizeof(seen) - used, "%u:", (unsigned)moment.taken);
    if (!task)
        used += (size_t)snprintf(seen + used, sizeof(seen) - used, "- ");
    for (size_t i = 0; task && i < task->depth; i++)
        used += (size_t)snprintf(seen + used, sizeof(seen) - used, "%s ", task->frames[i].name->symbol);
}

static void saw(const char *wanted)
{
    assert_string_equal(seen, wanted);
    seen[0] = '\0';
}

static uint64_t taken;

static void next(struct stacks_fixture *fixture, enum transfer_kind kind, uint64_t from, uint64_t to)
{
    stacks_set_taken(fixture->stacks, taken++);
    stacks_on(fixture, fixture->stacks, kind, from, to);
}

static void begin(struct stacks_fixture *fixture)
{
    const struct stacks_watch watch = {after, &fixture->begin};
    stacks_watch(fixture->stacks, &watch);
    taken = 0;
    seen[0] = '\0';
}

static void test_calls(void **state)
{
    struct stacks_fixture *fixture = *state;
    begin(fixture);
    next(fixture, TRANSFER_CALL, WORK + 0x10, READ);
    saw("1:kwork read ");
    next(fixture, TRANSFER_INTERRUPT, READ + 0x30, IRQ);
    saw("2:kwork read irq ");
    next(fixture, TRANSFER_FAR_RETURN, IRQ + 0x90, READ + 0x30);
    saw("3:kwork read ");
    next(fixture, TRANSFER_RETURN, READ + 0x80, WORK + 0x15);
    saw("4:kwork ");
}

/* While it is undecided which task continues, nothing is known. Then each moment is reported with the stack that it
 * had, from the switch on. */
static void test_switch(void **state)
{
    struct stacks_fixture *fixture = *state;
    begin(fixture);
    next(fixture, TRANSFER_CALL, WORK + 0x10, SCHEDULE);
    next(fixture, TRANSFER_CALL, SCHEDULE + 0x10, SWITCH_ASM);
    saw("1:kwork schedule 2:kwork schedule __switch_to_asm ");
    next(fixture, TRANSFER_RETURN, SWITCH_ASM + 0x80, FORKED);
    saw("3:ret_from_fork ");
    next(fixture, TRANSFER_CALL, FORKED + 0x10, SCHEDULE);
    next(fixture, TRANSFER_CALL, SCHEDULE + 0x10, SWITCH_ASM);
    saw("4:ret_from_fork schedule 5:ret_from_fork schedule __switch_to_asm ");
    next(fixture, TRANSFER_RETURN, SWITCH_ASM + 0x80, SCHEDULE + 0x15);
    saw("6:- ");
    next(fixture, TRANSFER_CALL, SCHEDULE + 0x30, READ);
    next(fixture, TRANSFER_RETURN, READ + 0x80, SCHEDULE + 0x35);
    saw("");
    next(fixture, TRANSFER_RETURN, SCHEDULE + 0x80, WORK + 0x15);
    saw("6:kwork schedule 7:kwork schedule read 8:kwork schedule 9:kwork ");
}

/* What was executed in a gap is not known, nor what runs after it. */
static void test_gap(void **state)
{
    struct stacks_fixture *fixture = *state;
    const struct flow_result result = {.end = 100};
    const struct flow_batch end = {.kind = FLOW_BATCH_END, .result = &result};
    begin(fixture);
    next(fixture, TRANSFER_CALL, WORK + 0x10, READ);
    stacks_take(fixture->stacks, &end);
    saw("1:kwork read ");
    fixture->begin = 200;
    taken = 0;
    next(fixture, TRANSFER_CALL, READ + 0x10, WRITE);
    saw("0:- 1:read write ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {STACKS_TEST(test_calls), STACKS_TEST(test_switch), STACKS_TEST(test_gap)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
