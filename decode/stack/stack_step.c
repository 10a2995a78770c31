/* The effect of a transfer on the stack of the running task. */
#include <string.h>

#include "decode/stack/stack_code.h"
#include "decode/stack/stacks_state.h"

static bool in_range(const struct name *name, uint64_t address)
{
    return address - name->begin < name->end - name->begin;
}

/* The functions at both ends of a transfer, cached because the same transfers occur often. */
static const struct stack_known *look_up(struct stacks *stacks, const struct stack_event *event)
{
    const struct transfer *transfer = &event->transfer;
    const bool enters =
        transfer->kind != TRANSFER_JUMP && transfer->kind != TRANSFER_RETURN && transfer->kind != TRANSFER_FAR_RETURN;
    const uint64_t cr3 = stack_is_kernel(transfer->from & transfer->to) ? 0 : event->cr3;
    const uint64_t mixed = (transfer->from ^ transfer->to << 7 ^ cr3) * 0x9e3779b97f4a7c15ull;
    struct stack_known *known = &stacks->known[mixed >> 48 & (STACK_KNOWN - 1)];
    if (known->from == transfer->from && known->to == transfer->to && known->cr3 == cr3 &&
        known->stretch == stacks->stretch)
        return known;
    *known = (struct stack_known){.from = transfer->from, .to = transfer->to, .cr3 = cr3, .stretch = stacks->stretch};
    known->from_name = names_find(stacks->names, stacks->pages, event->cr3, event->at, transfer->from);
    if (transfer->to)
        known->to_name =
            (enters ? names_entry : names_find)(stacks->names, stacks->pages, event->cr3, event->at, transfer->to);
    /* Without a symbol, a name that was not entered is a page, or what is between two symbols: its first bytes are not
     * a function's. */
    if (known->from_name->symbol)
        stack_code_note(stacks, known->from_name, event->cr3, event->at);
    if (known->to_name && (enters || known->to_name->symbol))
        stack_code_note(stacks, known->to_name, event->cr3, event->at);
    return known;
}

/* The cold part of a function has a symbol of its own, but counts as the same function. */
static bool is_cold_part(const struct name *part, const struct name *whole)
{
    const size_t length = strlen(whole->symbol);
    return !strncmp(part->symbol, whole->symbol, length) && !strcmp(part->symbol + length, ".cold");
}

/* Without symbols, functions are known to begin only where they are called. */
static bool is_same(const struct name *a, const struct name *b)
{
    if (a == b)
        return true;
    if (!a->symbol && !b->symbol)
        return stack_is_kernel(a->begin) == stack_is_kernel(b->begin);
    return a->symbol && b->symbol && (is_cold_part(a, b) || is_cold_part(b, a));
}

/* A thunk that replaces RET. Reports should not show it as a function. */
static bool is_thunk(const struct stacks *stacks, const struct name *name)
{
    return stack_code_of(stacks, name) == STACK_CODE_RETURN;
}

static bool is_boundary(const struct stack_frame *frame)
{
    return frame->entry == STACK_INTERRUPT || frame->entry == STACK_SYSCALL;
}

/* Execution is in the function of this name. If that is not the top frame's, it was reached by a conditional branch, or
 * by falling through. */
static void arrive_in(struct stacks *stacks, const struct name *name)
{
    struct stack_frame *top = stack_top(stacks);
    if (!top)
        stack_enter(stacks, name, 0, STACK_BASE);
    else if (!is_same(top->name, name) && !is_thunk(stacks, name))
        stack_jump(stacks, name);
}

/* The depth of the stack after a RET to an address. SIZE_MAX: no frame was called from there. */
static size_t depth_after_return(const struct stack_task *task, uint64_t to)
{
    for (size_t depth = task->depth; depth > 0; depth--) {
        const struct stack_frame *frame = &task->frames[depth - 1];
        if (frame->entry != STACK_CALL && frame->entry != STACK_TAIL)
            break;
        if (frame->entry == STACK_CALL && stack_is_return(frame->site, to))
            return depth - 1;
    }
    return SIZE_MAX;
}

/* The depth of the stack after control went to the middle of a function other than by a RET to its CALL: longjmp, which
 * is a JMP in glibc, or the landing pad of an exception, which may be in the cold part. If the function is on the stack
 * and called what is above it, its innermost frame continues. A signal handler may be left, too; an interrupt and a
 * system call may not. SIZE_MAX: there is no such frame. */
static size_t depth_after_unwinding(const struct stack_task *task, uint64_t to, const struct name *name)
{
    if (!name->symbol || to == name->begin)
        return SIZE_MAX;
    for (size_t depth = task->depth; depth > 1; depth--) {
        const struct stack_frame *above = &task->frames[depth - 1];
        const struct stack_frame *frame = above - 1;
        if (is_boundary(above))
            break;
        if (above->entry != STACK_TAIL && is_same(frame->name, name))
            return depth - 1;
    }
    return SIZE_MAX;
}

/* Control went to a function by a jump, or by a RET that no CALL of the stack fits. */
static void arrive_by_jump(struct stacks *stacks, uint64_t to, const struct name *name)
{
    const struct stack_frame *top = stack_top(stacks);
    const bool within = is_same(top->name, name);
    const size_t depth = within ? SIZE_MAX : depth_after_unwinding(&stacks->current->task, to, name);
    if (depth != SIZE_MAX)
        stack_leave_to(stacks, depth);
    else
        arrive_in(stacks, name);
}

/* Is the caller of the function unknown? */
static bool is_base(const struct stack_task *task)
{
    size_t depth = task->depth;
    while (depth > 1 && task->frames[depth - 1].entry == STACK_TAIL)
        depth--;
    return task->frames[depth - 1].entry == STACK_BASE;
}

static void take_return(struct stacks *stacks, uint64_t to, const struct name *name)
{
    struct stack_task *task = &stacks->current->task;
    if (stack_top(stacks)->switches) {
        stack_switch(stacks, to, name);
        return;
    }
    const size_t depth = depth_after_return(task, to);
    if (depth != SIZE_MAX) {
        stack_leave_to(stacks, depth);
        if (name)
            arrive_in(stacks, name);
    } else if (name && is_base(task)) {
        stack_begin(stacks, name);
    } else if (name) {
        arrive_by_jump(stacks, to, name);
    }
}

/* The task returned to user mode: note its space there, and the CR3 that its kernel code runs with. */
static void note_space(struct stacks *stacks, uint64_t cr3)
{
    struct stack_parked *task = stacks->current;
    const uint64_t pair = cr3 ^ stacks->cr3_before;
    if (cr3 == FLOW_CR3_UNKNOWN)
        return;
    task->task.space = cr3;
    /* Page-table isolation: Linux allocates the kernel's table right before the user's. */
    task->kernel = pair == 0x1000 ? stacks->cr3_before : cr3;
}

/* The task returned to user mode at another address than it left: a signal handler begins, or has ended. */
static void arrive_elsewhere(struct stacks *stacks, uint64_t from, uint64_t to, const struct name *name)
{
    struct stack_task *task = &stacks->current->task;
    for (size_t depth = task->depth; depth > 0; depth--) {
        const struct stack_frame *frame = &task->frames[depth - 1];
        if (frame->entry == STACK_SIGNAL && to - frame->site <= 15) {
            stack_leave_to(stacks, depth - 1);
            arrive_in(stacks, name);
            return;
        }
    }
    stack_enter(stacks, name, from, STACK_SIGNAL);
}

static void take_far_return(struct stacks *stacks, const struct stack_event *event, const struct name *from,
                            const struct name *name)
{
    struct stack_task *task = &stacks->current->task;
    const uint64_t to = event->transfer.to, space = task->space;
    size_t depth = task->depth;
    /* IRET is also used to serialize. */
    if (!name || (from == name && from->symbol))
        return;
    while (depth > 0 && !is_boundary(&task->frames[depth - 1]))
        depth--;
    const bool to_user = !stack_is_kernel(to) && stack_is_kernel(event->transfer.from);
    if (to_user)
        note_space(stacks, event->cr3);
    if (depth == 0 || (to_user && space != FLOW_CR3_UNKNOWN && space != task->space)) {
        stack_begin(stacks, name);
        return;
    }
    const uint64_t site = task->frames[depth - 1].site;
    stack_leave_to(stacks, depth - 1);
    const struct stack_frame *top = stack_top(stacks);
    if (!top || to - site <= 15 || (in_range(top->name, to) && top->name->symbol) || !to_user)
        arrive_in(stacks, name);
    else
        arrive_elsewhere(stacks, site, to, name);
}

void stack_step(struct stacks *stacks, const struct stack_event *event)
{
    const struct transfer *transfer = &event->transfer;
    if (!transfer->from) {
        stacks->branches += transfer->before;
        return;
    }
    const struct stack_known *known = look_up(stacks, event);
    const struct name *from = known->from_name, *to = known->to_name;
    if (!stacks->current)
        stack_begin_task(stacks, from);
    if (!stacks->current)
        return;
    arrive_in(stacks, from);
    if (!stack_top(stacks))
        return;
    stacks->branches += transfer->before + 1;
    stacks->to = transfer->to;
    switch (transfer->kind) {
    case TRANSFER_CALL:
        if (to && (to != from || transfer->to == to->begin || !to->symbol) && !is_thunk(stacks, from))
            stack_enter(stacks, to, transfer->from, STACK_CALL);
        break;
    case TRANSFER_RETURN:
        take_return(stacks, transfer->to, to);
        break;
    case TRANSFER_FAR_CALL:
    case TRANSFER_INTERRUPT:
        if (!stack_is_kernel(transfer->from) && stack_is_kernel(transfer->to) && event->cr3 != FLOW_CR3_UNKNOWN)
            stacks->current->task.space = event->cr3;
        if (to)
            stack_enter(stacks, to, transfer->from,
                        transfer->kind == TRANSFER_INTERRUPT ? STACK_INTERRUPT : STACK_SYSCALL);
        break;
    case TRANSFER_FAR_RETURN:
        take_far_return(stacks, event, from, to);
        break;
    case TRANSFER_JUMP:
        if (to)
            arrive_by_jump(stacks, transfer->to, to);
    }
}
