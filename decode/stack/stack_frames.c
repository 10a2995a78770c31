#include <stdlib.h>
#include <string.h>

#include "decode/capture/list.h"
#include "decode/stack/stack_code.h"
#include "decode/stack/stacks_state.h"

void stack_spend(struct stacks *stacks)
{
    struct stack_task *task = stacks->current ? &stacks->current->task : NULL;
    const bool silent = task && task->depth > 0 && task->frames[task->depth - 1].silent;
    if (silent)
        task->depth--;
    stacks->hooks.spend(stacks->hooks.context, task, stacks->branches, stacks->tsc);
    if (silent)
        task->depth++;
    stacks->branches = 0;
}

/* What comes on top of it, or in its place, is reported: then it must be, too. */
static void show(struct stacks *stacks)
{
    struct stack_frame *top = stack_top(stacks);
    if (!top || !top->silent)
        return;
    top->silent = false;
    stacks->hooks.enter(stacks->hooks.context, &stacks->current->task, stacks->tsc);
}

/* NULL: no memory. */
static struct stack_frame *push(struct stack_task *task)
{
    void *frames = task->frames;
    struct stack_frame *frame = list_add(&frames, &task->depth, &task->room, sizeof(*frame));
    task->frames = frames;
    return frame;
}

/* In Linux this changes the stack pointer, and __switch_to, which it jumps to, returns on the other stack. */
static bool switches(const struct name *name)
{
    static const char symbol[] = "__switch_to_asm";
    return name->symbol && !strcmp(name->symbol, symbol);
}

void stack_enter(struct stacks *stacks, const struct name *name, uint64_t site, enum stack_entry entry)
{
    struct stack_task *task = &stacks->current->task;
    stack_spend(stacks);
    show(stacks);
    task->pages = stacks->pages;
    task->at = stacks->at;
    struct stack_frame *frame = push(task);
    if (!frame) {
        stacks->no_memory = true;
        return;
    }
    *frame =
        (struct stack_frame){.name = name, .site = site, .to = stacks->to, .entry = entry, .switches = switches(name)};
    if (switches(name))
        stacks->pool->switch_begin = name->begin;
    if ((entry == STACK_CALL || entry == STACK_TAIL) && stack_code_of(stacks, name) == STACK_CODE_INDIRECT)
        frame->silent = true;
    else
        stacks->hooks.enter(stacks->hooks.context, task, stacks->tsc);
}

void stack_leave(struct stacks *stacks)
{
    struct stack_task *task = &stacks->current->task;
    stack_spend(stacks);
    if (!task->frames[task->depth - 1].silent)
        stacks->hooks.leave(stacks->hooks.context, task, stacks->tsc);
    task->depth--;
}

void stack_leave_to(struct stacks *stacks, size_t depth)
{
    while (stacks->current->task.depth > depth)
        stack_leave(stacks);
}

/* The frame of the function that was called, under those on top that it jumped to. */
static size_t chain_begin(const struct stack_task *task)
{
    size_t depth = task->depth;
    while (depth > 1 && task->frames[depth - 1].entry == STACK_TAIL)
        depth--;
    return depth - 1;
}

void stack_jump(struct stacks *stacks, const struct name *name)
{
    struct stack_task *task = &stacks->current->task;
    const struct stack_frame top = *stack_top(stacks);
    if (top.silent) {
        stack_leave(stacks);
        stack_enter(stacks, name, top.site, top.entry);
        return;
    }
    for (size_t i = task->depth; i-- > chain_begin(task);)
        if (task->frames[i].name == name) {
            stack_leave_to(stacks, i + 1);
            return;
        }
    stack_enter(stacks, name, top.site, STACK_TAIL);
    stack_top(stacks)->switches |= top.switches;
}

void stack_begin(struct stacks *stacks, const struct name *name)
{
    stack_leave_to(stacks, 0);
    stack_enter(stacks, name, 0, STACK_BASE);
}

void stack_begin_task(struct stacks *stacks, const struct name *name)
{
    struct stack_parked *task = calloc(1, sizeof(*task));
    if (!task) {
        stacks->no_memory = true;
        return;
    }
    stack_spend(stacks);
    *task = (struct stack_parked){.task = {.number = ++stacks->pool->nr_tasks, .space = FLOW_CR3_UNKNOWN},
                                  .kernel = FLOW_CR3_UNKNOWN,
                                  .running = true,
                                  .next = stacks->pool->tasks};
    stacks->pool->tasks = stacks->current = task;
    stacks->hooks.run(stacks->hooks.context, &task->task, stacks->tsc);
    stack_begin(stacks, name);
}
