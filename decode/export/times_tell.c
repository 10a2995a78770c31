/* What was held is told, at the times that were found, to who listens. */
#include <stdlib.h>

#include "decode/export/times_state.h"

static bool inside(const struct times *times, uint64_t tsc)
{
    return tsc >= times->window.from && tsc < times->window.to;
}

/* The listener learns which task runs, and of frames that were entered before the window or while it looked away. */
static void catch_up(struct times *times, uint64_t tsc)
{
    struct times_task *current = times->current;
    const size_t depth = current ? current->task.depth : 0;
    if (times->shown != current)
        times->hooks.run(times->hooks.context, current ? &current->task : NULL, tsc);
    times->shown = current;
    while (current && current->told < depth) {
        current->task.depth = ++current->told;
        times->hooks.enter(times->hooks.context, &current->task, tsc);
    }
}

static bool push(struct stack_task *task, const struct times_item *item)
{
    if (task->depth == task->room) {
        const size_t room = task->room ? 2 * task->room : 16;
        struct stack_frame *more = realloc(task->frames, room * sizeof(*more));
        if (!more)
            return false;
        task->frames = more;
        task->room = room;
    }
    task->frames[task->depth++] =
        (struct stack_frame){.name = item->name, .site = item->site, .entry = (enum stack_entry)item->entry};
    return true;
}

static void tell_leave(struct times *times, struct times_task *task, uint64_t tsc)
{
    if (task->task.depth == 0)
        return;
    if (task->told == task->task.depth) {
        if (inside(times, tsc))
            times->hooks.leave(times->hooks.context, &task->task, tsc);
        task->told--;
    }
    task->task.depth--;
}

/* No task from before the gap comes back. */
static void tell_lost(struct times *times, uint64_t tsc)
{
    struct times_task **place = &times->tasks;
    times->current = NULL;
    times->shown = NULL;
    if (inside(times, tsc))
        times->hooks.lost(times->hooks.context, tsc);
    while (*place) {
        struct times_task *task = *place;
        if (task->life > times->lost) {
            place = &task->next;
            continue;
        }
        *place = task->next;
        free(task->task.frames);
        free(task);
    }
    times->lost++;
}

static void tell_item(struct times *times, const struct times_item *item, uint64_t tsc)
{
    struct times_task *task = item->task;
    if (task)
        task->task.space = item->space;
    switch ((enum times_kind)item->kind) {
    case TIMES_ENTER:
        if (task && !push(&task->task, item))
            times->no_memory = true;
        break;
    case TIMES_LEAVE:
        if (task)
            tell_leave(times, task, tsc);
        break;
    case TIMES_RUN:
        times->current = task;
        break;
    case TIMES_LOST:
        tell_lost(times, tsc);
        break;
    }
}

void times_tell(struct times *times, const struct times_item *item, uint64_t at, uint64_t tsc)
{
    const uint64_t branches = at - times->told_at;
    times->told_at = at;
    if (inside(times, tsc)) {
        catch_up(times, tsc);
        times->hooks.spend(times->hooks.context, times->current ? &times->current->task : NULL, branches, tsc);
    }
    if (item)
        tell_item(times, item, tsc);
    if (inside(times, tsc))
        catch_up(times, tsc);
}
