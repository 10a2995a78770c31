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

#include "pt/instruction/instruction.h"

#include "tests/unit/decode/stack/stacks_fixture.h"

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
                          "ffffffff81010000 T __x86_return_thunk\n"
                          "ffffffff81011000 T do_exit\n"
                          "ffffffff81012000 T its_return_thunk\n"
                          "ffffffff81013000 T end\n";

static void say(struct stacks_fixture *fixture, const char *format, ...)
{
    const size_t used = strlen(fixture->log);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(fixture->log + used, sizeof(fixture->log) - used, format, arguments);
    va_end(arguments);
}

static void say_top(struct stacks_fixture *fixture, char what, const struct stack_task *task)
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
    struct stacks_fixture *fixture = context;
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

const struct stack_hooks *stacks_hooks_of(struct stacks_fixture *fixture)
{
    fixture->hooks = (struct stack_hooks){enter, leave, spend, run, lost, fixture, end, NULL, NULL};
    return &fixture->hooks;
}

int stacks_set_up(void **state)
{
    char name[] = "/tmp/undertrace-stacks-XXXXXX";
    const int file = mkstemp(name);
    struct stacks_fixture *fixture = calloc(1, sizeof(*fixture));
    const struct capture capture = {0};
    const struct names_options options = {.symbols = name};
    struct error error = {0};
    assert_non_null(fixture);
    assert_true(file >= 0);
    assert_int_equal(write(file, map, sizeof(map) - 1), sizeof(map) - 1);
    close(file);
    fixture->names = names_open(&capture, &options, &error);
    unlink(name);
    static struct code_map nothing; /* an empty map: with any map, spaces are distinguished */
    fixture->pages.maps = &nothing;
    fixture->pages.nr_maps = 1;
    fixture->stacks = stacks_open(fixture->names, &fixture->pages, stacks_hooks_of(fixture));
    fixture->other = stacks_open(fixture->names, &fixture->pages, stacks_hooks_of(fixture));
    stacks_share(fixture->other, fixture->stacks);
    fixture->cr3 = 0x1000;
    *state = fixture;
    return fixture->names && fixture->stacks && fixture->other ? 0 : -1;
}

int stacks_tear_down(void **state)
{
    struct stacks_fixture *fixture = *state;
    stacks_close(fixture->stacks);
    stacks_close(fixture->other);
    names_close(fixture->names);
    free(fixture);
    return 0;
}

void stacks_on(struct stacks_fixture *fixture, struct stacks *stacks, enum transfer_kind kind, uint64_t from,
               uint64_t to)
{
    static const uint8_t tags[] = {[TRANSFER_JUMP] = INSTRUCTION_JMP_DIRECT,
                                   [TRANSFER_CALL] = INSTRUCTION_CALL_DIRECT,
                                   [TRANSFER_RETURN] = INSTRUCTION_RET,
                                   [TRANSFER_FAR_CALL] = INSTRUCTION_FAR_CALL,
                                   [TRANSFER_FAR_RETURN] = INSTRUCTION_FAR_RETURN,
                                   [TRANSFER_INTERRUPT] = FLOW_TAG_EVENT};
    const union flow_item items[] = {{.conditional = 1}, {.branch = {from, to}}};
    const uint8_t item_tags[] = {FLOW_TAG_CONDITIONAL, tags[kind]};
    const struct flow_batch batch = {.kind = FLOW_BATCH_ITEMS,
                                     .items = items,
                                     .tags = item_tags,
                                     .count = 2,
                                     .conditional = 1,
                                     .context = {.cr3 = fixture->cr3, .tsc = ++fixture->tsc},
                                     .begin = fixture->begin};
    stacks_take(stacks, &batch);
}

void stacks_heard(struct stacks_fixture *fixture, const char *wanted)
{
    assert_string_equal(fixture->log, wanted);
    fixture->log[0] = '\0';
}
