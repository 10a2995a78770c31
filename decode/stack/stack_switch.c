/*
 * Which task continues after a switch. Right after __switch_to, the stacks of all tasks are alike: they are in the
 * scheduler. So events are held back until later returns, or the return to user mode, show which stack they fit.
 */
#include <stdlib.h>
#include <string.h>

#include "decode/capture/list.h"
#include "decode/names/symbol_match.h"
#include "decode/stack/stacks_state.h"

/* At most so many events are held back. */
#define MOST_HELD 65536u
/* If the task may be one that was never seen, the last remaining candidate must match by so many returns, because the
 * scheduler's own frames match every task. Fewer suffice if the task is switched away from again before that. */
#define SURE_FRAMES 4u
#define LIKELY_FRAMES 2u

static bool has_frame(const struct stack_task *task, const char *symbol)
{
    for (size_t i = 0; i < task->depth; i++)
        if (symbol_is(task->frames[i].name->symbol, symbol))
            return true;
    return false;
}

static bool is_dead(const struct stack_task *task)
{
    return has_frame(task, "do_task_dead");
}

/* Does CR3 match the space that the task had in user mode, if it ever was there? */
static bool is_at_home(const struct stacks *stacks, const struct stack_parked *task)
{
    return task->kernel == FLOW_CR3_UNKNOWN || task->kernel == stacks->cr3;
}

/* May this task be the one that continues at to? A kernel thread runs in the space of the task before it. So does a
 * task that exits, which has released its space; and execve changes the space. */
static bool may_go_on(const struct stacks *stacks, const struct stack_parked *task, uint64_t to)
{
    return !task->running && stack_is_return(task->site, to) && (is_at_home(stacks, task) || task->roams);
}

/* Free a task. It may still be a candidate of another CPU's undecided switch. */
static void drop(struct stack_pool *pool, struct stack_parked *task)
{
    struct stack_parked **place = &pool->tasks;
    for (struct stacks *cpu = pool->cpus; cpu; cpu = cpu->next)
        for (size_t i = 0; i < cpu->undecided.nr_candidates; i++)
            if (cpu->undecided.candidates[i] == task)
                cpu->undecided.candidates[i] = cpu->undecided.candidates[--cpu->undecided.nr_candidates];
    while (*place != task)
        place = &(*place)->next;
    *place = task->next;
    free(task->task.frames);
    free(task);
}

static void put_aside(struct stacks *stacks)
{
    struct stack_parked *task = stacks->current;
    const uint64_t site = stack_top(stacks)->site;
    while (stack_top(stacks)->entry == STACK_TAIL)
        stack_leave(stacks);
    stack_leave(stacks);
    task->running = false;
    task->roams = has_frame(&task->task, "do_exit") || has_frame(&task->task, "bprm_execve");
    task->site = site;
    task->order = stacks->pool->nr_parked++;
    task->cpu = stacks;
    stacks->current = NULL;
    if (!is_dead(&task->task))
        return;
    if (stacks->hooks.end)
        stacks->hooks.end(stacks->hooks.context, &task->task, stacks->tsc);
    drop(stacks->pool, task);
}

static void add_candidate(struct stacks *stacks, struct stack_parked *task)
{
    struct stack_undecided *undecided = &stacks->undecided;
    void *candidates = undecided->candidates;
    struct stack_parked **place =
        list_add(&candidates, &undecided->nr_candidates, &undecided->candidates_room, sizeof(struct stack_parked *));
    undecided->candidates = candidates;
    if (place)
        *place = task;
    stacks->no_memory |= !place;
}

void stack_switch(struct stacks *stacks, uint64_t to, const struct name *name)
{
    struct stack_undecided *undecided = &stacks->undecided;
    put_aside(stacks);
    stacks->hooks.run(stacks->hooks.context, NULL, stacks->tsc);
    undecided->nr_candidates = undecided->count = undecided->level = undecided->depth = 0;
    for (struct stack_parked *task = stacks->pool->tasks; task; task = task->next)
        if (may_go_on(stacks, task, to))
            add_candidate(stacks, task);
    undecided->on = undecided->nr_candidates > 0;
    if (!undecided->on && name)
        stack_begin_task(stacks, name);
}

static bool push_site(struct stack_undecided *undecided, uint64_t site)
{
    void *sites = undecided->sites;
    uint64_t *place = list_add(&sites, &undecided->depth, &undecided->sites_room, sizeof(*place));
    undecided->sites = sites;
    if (place)
        *place = site;
    return place != NULL;
}

/* The frame that is returned from next, of a task that may continue. NULL: it has no more. */
static const struct stack_frame *frame_of(const struct stacks *stacks, const struct stack_parked *task)
{
    size_t level = stacks->undecided.level;
    for (size_t depth = task->task.depth; depth > 0; depth--) {
        const struct stack_frame *frame = &task->task.frames[depth - 1];
        if (frame->entry != STACK_TAIL && level-- == 0)
            return frame;
    }
    return NULL;
}

/* Is this return from the frame that the task would return from next? */
static bool fits(const struct stacks *stacks, const struct stack_parked *task, const struct transfer *transfer)
{
    const struct stack_frame *frame = frame_of(stacks, task);
    if (!frame || task->running) /* another CPU took it */
        return false;
    if (transfer->kind != TRANSFER_RETURN)
        return frame->entry != STACK_CALL;
    return frame->entry == STACK_BASE || (frame->entry == STACK_CALL && stack_is_return(frame->site, transfer->to));
}

/* Keep those that it fits. If it fits none, it is not known which continues. */
static size_t filter(struct stacks *stacks, const struct transfer *transfer)
{
    struct stack_undecided *undecided = &stacks->undecided;
    size_t left = 0;
    for (size_t i = 0; i < undecided->nr_candidates; i++)
        if (fits(stacks, undecided->candidates[i], transfer))
            undecided->candidates[left++] = undecided->candidates[i];
    undecided->nr_candidates = left;
    undecided->level++;
    return left;
}

/* A return, while some are possible: SIZE_MAX if it decides nothing. One that belongs to no call is a retpoline's,
 * which has called a place of its own. */
static size_t take_return(struct stacks *stacks, const struct transfer *transfer)
{
    struct stack_undecided *undecided = &stacks->undecided;
    for (size_t depth = undecided->depth; depth > 0; depth--)
        if (undecided->sites[depth - 1] && stack_is_return(undecided->sites[depth - 1], transfer->to)) {
            undecided->depth = depth - 1;
            return SIZE_MAX;
        }
    if (undecided->depth == 0)
        return filter(stacks, transfer);
    undecided->depth -= undecided->sites[undecided->depth - 1] != 0;
    return SIZE_MAX;
}

static size_t take_far_return(struct stacks *stacks, const struct transfer *transfer)
{
    struct stack_undecided *undecided = &stacks->undecided;
    while (undecided->depth > 0)
        if (undecided->sites[--undecided->depth] == 0)
            return SIZE_MAX;
    return filter(stacks, transfer);
}

/* Of tasks that look alike up to here: one that ran on this CPU, since the kernel's own are often bound to one (idle
 * always is); else the one that waits longest. */
static bool is_better(const struct stacks *stacks, const struct stack_parked *task, const struct stack_parked *than)
{
    if (!than || is_at_home(stacks, task) != is_at_home(stacks, than))
        return !than || is_at_home(stacks, task);
    if ((task->cpu == stacks) != (than->cpu == stacks))
        return task->cpu == stacks;
    return task->order < than->order;
}

void stack_decide(struct stacks *stacks)
{
    struct stack_undecided *undecided = &stacks->undecided;
    struct stack_parked *chosen = NULL;
    undecided->on = false;
    for (size_t i = 0; i < undecided->nr_candidates; i++) {
        struct stack_parked *task = undecided->candidates[i];
        if (!task->running && is_better(stacks, task, chosen))
            chosen = task;
    }
    stacks->current = chosen;
    if (!chosen)
        return;
    chosen->running = true;
    chosen->task.pages = stacks->pages;
    chosen->task.at = stacks->at;
    stacks->hooks.run(stacks->hooks.context, &chosen->task, stacks->tsc);
}

static bool keep(struct stack_undecided *undecided, const struct stack_event *event)
{
    void *events = undecided->events;
    struct stack_event *place = list_add(&events, &undecided->count, &undecided->room, sizeof(*place));
    undecided->events = events;
    if (place)
        *place = *event;
    return place != NULL;
}

/* How many tasks are possible after a transfer. SIZE_MAX: it decides nothing. */
static size_t look_at(struct stacks *stacks, const struct transfer *transfer)
{
    struct stack_undecided *undecided = &stacks->undecided;
    switch (transfer->from ? transfer->kind : TRANSFER_JUMP) {
    case TRANSFER_CALL:
        stacks->no_memory |= !push_site(undecided, transfer->from);
        return SIZE_MAX;
    case TRANSFER_FAR_CALL:
    case TRANSFER_INTERRUPT:
        stacks->no_memory |= !push_site(undecided, 0);
        return SIZE_MAX;
    case TRANSFER_RETURN:
        return take_return(stacks, transfer);
    case TRANSFER_FAR_RETURN:
        return take_far_return(stacks, transfer);
    default:
        return SIZE_MAX;
    }
}

/* Is it settled which task continues, if so many are left? boundary: the last frame that fits is one of an interrupt
 * or system call. */
static bool is_settled(const struct stacks *stacks, size_t left, bool boundary)
{
    if (left != 1 || !stacks->pool->strangers)
        return left <= 1;
    return boundary || stacks->undecided.level >= SURE_FRAMES;
}

bool stack_hold(struct stacks *stacks, const struct stack_event *event)
{
    const struct transfer *transfer = &event->transfer;
    if (!keep(&stacks->undecided, event)) {
        stacks->no_memory = true;
        return true;
    }
    /* It is switched away from again: no return will decide it. */
    if (transfer->kind == TRANSFER_CALL && transfer->to == stacks->pool->switch_begin) {
        if (stacks->pool->strangers && stacks->undecided.level < LIKELY_FRAMES)
            stacks->undecided.nr_candidates = 0;
        return true;
    }
    const size_t left = look_at(stacks, transfer);
    return is_settled(stacks, left, transfer->kind == TRANSFER_FAR_RETURN) || stacks->undecided.count >= MOST_HELD;
}

void stack_drop_running(struct stacks *stacks)
{
    struct stack_parked *task = stacks->current;
    stack_spend(stacks);
    stacks->current = NULL;
    stacks->hooks.run(stacks->hooks.context, NULL, stacks->tsc);
    if (stacks->hooks.end)
        stacks->hooks.end(stacks->hooks.context, &task->task, stacks->tsc);
    drop(stacks->pool, task);
}

/* All that waits may have run meanwhile. */
void stack_forget(struct stacks *stacks)
{
    struct stack_pool *pool = stacks->pool;
    pool->strangers = true;
    if (stacks->current)
        stacks->current->running = false;
    stacks->current = NULL;
    for (struct stacks *cpu = pool->cpus; cpu; cpu = cpu->next)
        cpu->undecided.nr_candidates = 0;
    for (struct stack_parked *task = pool->tasks, *next; task; task = next) {
        next = task->next;
        if (!task->running)
            drop(pool, task);
    }
}
