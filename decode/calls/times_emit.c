/* Emits held events to the listener, at the times that were found for them. */
#include <stdlib.h>

#include "decode/calls/times_state.h"
#include "decode/capture/list.h"

static bool inside(const struct times_cpu *cpu, uint64_t tsc)
{
    return tsc >= cpu->times->window.from && tsc < cpu->times->window.to;
}

/* The task on the CPU is no longer selected: leave all of its frames. */
static void hide(struct times_cpu *cpu, struct times_task *task, uint64_t tsc)
{
    const size_t depth = task->task.depth;
    for (; task->shown_depth > 0; task->shown_depth--) {
        task->task.depth = task->shown_depth;
        cpu->hooks.leave(cpu->hooks.context, &task->task, tsc);
    }
    task->task.depth = depth;
}

/* Report the running task to the listener with the frames that the listener already has; catch_up enters the rest. */
static void show_task(struct times_cpu *cpu, struct times_task *task, uint64_t tsc)
{
    const size_t depth = task ? task->task.depth : 0;
    if (task)
        task->task.depth = task->shown_depth;
    cpu->hooks.run(cpu->hooks.context, task ? &task->task : NULL, tsc);
    if (task)
        task->task.depth = depth;
}

/* Inform the listener which task runs, and of frames that were entered before the window. */
static void catch_up(struct times_cpu *cpu, uint64_t tsc)
{
    if (cpu->current && !cpu->current->selected && cpu->shown == cpu->current)
        hide(cpu, cpu->current, tsc);
    struct times_task *current = cpu->current && cpu->current->selected ? cpu->current : NULL;
    const size_t depth = current ? current->task.depth : 0;
    if (cpu->shown != current)
        show_task(cpu, current, tsc);
    cpu->shown = current;
    while (current && current->shown_depth < depth) {
        current->task.depth = ++current->shown_depth;
        cpu->hooks.enter(cpu->hooks.context, &current->task, tsc);
    }
}

bool times_push(struct times_task *task, const struct stack_frame *frame, struct times_call call)
{
    if (task->task.depth == task->calls_room) {
        const size_t room = 2 * task->calls_room + 16;
        struct times_call *more = realloc(task->calls, room * sizeof(*more));
        if (!more)
            return false;
        task->calls = more;
        task->calls_room = room;
    }
    void *frames = task->task.frames;
    struct stack_frame *place = list_add(&frames, &task->task.depth, &task->task.room, sizeof(*place));
    task->task.frames = frames;
    if (!place)
        return false;
    *place = *frame;
    task->calls[task->task.depth - 1] = call;
    return true;
}

static bool push(struct times_task *task, const struct times_item *item, uint64_t tsc)
{
    const struct stack_frame frame = {
        .name = item->name, .site = item->site, .to = item->to, .entry = (enum stack_entry)item->entry};
    return times_push(task, &frame, (struct times_call){tsc, task->clock});
}

/* Another task runs on the CPU. */
static void turn(struct times_cpu *cpu, struct times_task *task, uint64_t tsc)
{
    struct times_task *before = cpu->current;
    if (before && before->runs) {
        before->runs = false;
        before->since = tsc;
    }
    if (task) {
        task->runs = true;
        task->since = tsc;
        task->ran = cpu;
    }
    cpu->current = task;
}

/* The running task has run until then, as far as it is known that it did. */
static void count(struct times_cpu *cpu, uint64_t tsc)
{
    struct times *times = cpu->times;
    const uint64_t ticks = cpu->spent && tsc > cpu->spent ? tsc - cpu->spent : 0;
    cpu->spent = tsc;
    if (tsc && (!times->first || tsc < times->first))
        times->first = tsc;
    times->last = tsc > times->last ? tsc : times->last;
    if (cpu->current && cpu->current->task.depth > 0 && !cpu->lost)
        cpu->current->clock += ticks;
    cpu->lost = false;
}

static void place(struct stack_task *task, const struct times_item *item)
{
    task->space = item->space;
    task->pages = item->pages;
    task->thread = item->thread;
    task->at = item->trace_at;
}

/* Update the task's position, and whether it is selected there. */
static void move(const struct times *times, struct times_task *task, const struct times_item *item)
{
    const bool same =
        task->task.space == item->space && task->task.at == item->trace_at && task->task.pages == item->pages;
    place(&task->task, item);
    if (times->window.is_selected && !same)
        task->selected = times->window.is_selected(times->window.context, &task->task);
}

/* Report what the running task has spent, if it is selected. */
static void spend(const struct times_cpu *cpu, uint64_t branches, uint64_t tsc)
{
    struct times_task *current = cpu->current;
    if (!current || current->selected)
        cpu->hooks.spend(cpu->hooks.context, current ? &current->task : NULL, branches, tsc);
    else if (cpu->hooks.skip)
        cpu->hooks.skip(cpu->hooks.context, tsc);
}

static void emit_leave(struct times_cpu *cpu, struct times_task *task, uint64_t tsc)
{
    if (task->task.depth == 0)
        return;
    if (task->shown_depth == task->task.depth) {
        if (inside(cpu, tsc))
            cpu->hooks.leave(cpu->hooks.context, &task->task, tsc);
        task->shown_depth--;
    }
    task->task.depth--;
}

static void emit_item(struct times_cpu *cpu, const struct times_item *item, uint64_t tsc)
{
    struct times_task *task = item->task;
    if (task)
        move(cpu->times, task, item);
    if (task && !task->order)
        task->order = ++cpu->times->nr_emitted;
    switch ((enum times_kind)item->kind) {
    case TIMES_ENTER:
        if (task && !push(task, item, tsc))
            cpu->times->no_memory = true;
        break;
    case TIMES_LEAVE:
        if (task)
            emit_leave(cpu, task, tsc);
        break;
    case TIMES_RUN:
        turn(cpu, task, tsc);
        break;
    case TIMES_FINISH:
        if (cpu->hooks.finish && inside(cpu, tsc))
            cpu->hooks.finish(cpu->hooks.context, tsc);
        break;
    }
}

/* What runs at the window's begin runs from then on. */
static void emit_begin(struct times_cpu *cpu)
{
    if (!cpu->before)
        return;
    cpu->before = false;
    catch_up(cpu, cpu->times->window.from);
    spend(cpu, 0, cpu->times->window.from);
}

/* What runs at the window's end runs until then. */
static void emit_past(struct times_cpu *cpu)
{
    if (cpu->past)
        return;
    cpu->past = true;
    spend(cpu, 0, cpu->times->window.to);
}

void times_emit(struct times_cpu *cpu, const struct times_item *item, uint64_t at, uint64_t tsc)
{
    const uint64_t branches = at - cpu->emitted_at;
    cpu->emitted_at = at;
    if (tsc < cpu->times->window.from)
        cpu->before = tsc > 0 || cpu->times->window.by_branches;
    else
        emit_begin(cpu);
    if (tsc >= cpu->times->window.to)
        emit_past(cpu);
    count(cpu, tsc);
    if (inside(cpu, tsc)) {
        catch_up(cpu, tsc);
        spend(cpu, branches, tsc);
    }
    if (item)
        emit_item(cpu, item, tsc);
    if (inside(cpu, tsc))
        catch_up(cpu, tsc);
}

void times_emit_end(struct times_cpu *cpu, const struct times_item *item, uint64_t tsc)
{
    place(&item->task->task, item);
    item->task->ended = true;
    if (cpu->hooks.end)
        cpu->hooks.end(cpu->hooks.context, &item->task->task, tsc);
}

void times_task_free(struct times_task *task)
{
    free(task->task.frames);
    free(task->calls);
    free(task);
}

static bool runs(const struct times *times, const struct times_task *task)
{
    for (const struct times_cpu *cpu = times->cpus; cpu; cpu = cpu->next)
        if (cpu->current == task)
            return true;
    return false;
}

/* After a gap, the stacks know only the tasks that run on other CPUs. */
void times_emit_lost(struct times_cpu *cpu, uint64_t tsc)
{
    struct times_task **place = &cpu->times->tasks;
    turn(cpu, NULL, tsc);
    cpu->lost = true;
    cpu->shown = NULL;
    if (inside(cpu, tsc))
        cpu->hooks.lost(cpu->hooks.context, tsc);
    while (*place) {
        struct times_task *task = *place;
        if (runs(cpu->times, task)) {
            place = &task->next;
            continue;
        }
        *place = task->next;
        times_task_free(task);
    }
}
