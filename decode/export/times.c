#include "decode/export/times.h"

#include <stdlib.h>
#include <string.h>

#include "decode/export/times_state.h"

/* So much is held at most; what is more has the time known last. */
#define MOST_HELD (1u << 20)

struct times *times_open(const struct stack_hooks *hooks, struct times_window window)
{
    struct times *times = calloc(1, sizeof(*times));
    if (times)
        *times = (struct times){.hooks = *hooks, .window = window};
    return times;
}

void times_close(struct times *times)
{
    if (!times)
        return;
    while (times->tasks) {
        struct times_task *task = times->tasks;
        times->tasks = task->next;
        free(task->task.frames);
        free(task);
    }
    free(times->items);
    free(times);
}

/* Ticks of each halt: what the span has more than its branches take elsewhere. */
static double rest_of(struct times *times, uint64_t ticks, uint64_t branches, size_t woken)
{
    if (woken == 0) {
        times->busy_ticks += ticks;
        times->busy_branches += branches;
        return 0;
    }
    if (times->busy_branches == 0)
        return 0;
    const double needed = (double)times->busy_ticks / (double)times->busy_branches * (double)branches;
    return needed < (double)ticks ? ((double)ticks - needed) / (double)woken : 0;
}

/* All that is held happened up to here. */
static void flush(struct times *times, uint64_t tsc)
{
    const uint64_t from = times->tsc ? times->tsc : tsc, ticks = tsc - from, branches = times->at - times->tsc_at;
    size_t woken = 0, rests = 0;
    for (size_t i = 0; i < times->count; i++)
        woken += times->items[i].woken;
    const double rest = rest_of(times, ticks, branches, woken);
    const double pace = branches ? ((double)ticks - rest * (double)woken) / (double)branches : 0;
    uint64_t last = from;
    for (size_t i = 0; i < times->count; i++) {
        const struct times_item *item = &times->items[i];
        rests += item->woken;
        uint64_t when = from + (uint64_t)(pace * (double)(item->at - times->tsc_at) + rest * (double)rests);
        when = when < last ? last : when > tsc ? tsc : when;
        times_tell(times, item, item->at, when);
        last = when;
    }
    times->count = 0;
    times_tell(times, NULL, times->at, tsc);
    times->tsc = tsc;
    times->tsc_at = times->at;
}

static void go_on(struct times *times, uint64_t tsc)
{
    if (times->window.by_branches)
        flush(times, times->at);
    else if (tsc > times->tsc)
        flush(times, tsc);
}

static void hold(struct times *times, struct times_item item)
{
    if (times->count == times->room && times->room < MOST_HELD) {
        const size_t room = times->room ? 2 * times->room : 4096;
        struct times_item *more = realloc(times->items, room * sizeof(*more));
        times->items = more ? more : times->items;
        times->room = more ? room : times->room;
    }
    if (times->count == times->room)
        flush(times, times->tsc);
    if (times->room == 0) {
        times->no_memory = true;
        return;
    }
    item.at = times->at;
    times->items[times->count++] = item;
}

/* The copy of a task of the stacks. */
static struct times_task *copy_of(struct times *times, struct stack_task *task)
{
    if (!task)
        return NULL;
    struct times_task *copy = (struct times_task *)(uintptr_t)task->user;
    if (copy)
        return copy;
    copy = calloc(1, sizeof(*copy));
    if (!copy) {
        times->no_memory = true;
        return NULL;
    }
    copy->task = (struct stack_task){.number = task->number, .space = task->space};
    copy->life = times->lives;
    copy->next = times->tasks;
    times->tasks = copy;
    task->user = (uint64_t)(uintptr_t)copy;
    return copy;
}

/* Where Linux waits for an interrupt. */
static bool is_halt(const struct name *name)
{
    static const char *const symbols[] = {"native_safe_halt",   "pv_native_safe_halt", "acpi_safe_halt", "default_idle",
                                          "acpi_idle_do_entry", "mwait_idle",          "intel_idle",     "native_halt"};
    for (size_t i = 0; name->symbol && i < sizeof(symbols) / sizeof(symbols[0]); i++)
        if (!strcmp(name->symbol, symbols[i]))
            return true;
    return false;
}

static void enter(void *context, struct stack_task *task, uint64_t tsc)
{
    struct times *times = context;
    const struct stack_frame *frame = &task->frames[task->depth - 1];
    go_on(times, tsc);
    hold(times,
         (struct times_item){.kind = TIMES_ENTER,
                             .task = copy_of(times, task),
                             .name = frame->name,
                             .site = frame->site,
                             .space = task->space,
                             .entry = (uint8_t)frame->entry,
                             .woken = frame->entry == STACK_INTERRUPT && task->depth > 1 && is_halt(frame[-1].name)});
}

static void leave(void *context, struct stack_task *task, uint64_t tsc)
{
    struct times *times = context;
    go_on(times, tsc);
    hold(times, (struct times_item){.kind = TIMES_LEAVE, .task = copy_of(times, task), .space = task->space});
}

static void spend(void *context, struct stack_task *task, uint64_t branches, uint64_t tsc)
{
    struct times *times = context;
    (void)task;
    times->at += branches;
    go_on(times, tsc);
}

static void run(void *context, struct stack_task *task, uint64_t tsc)
{
    struct times *times = context;
    go_on(times, tsc);
    hold(times, (struct times_item){
                    .kind = TIMES_RUN, .task = copy_of(times, task), .space = task ? task->space : FLOW_CR3_UNKNOWN});
}

static void lost(void *context, uint64_t tsc)
{
    struct times *times = context;
    go_on(times, tsc);
    hold(times, (struct times_item){.kind = TIMES_LOST});
    times->lives++;
}

struct stack_hooks times_hooks(struct times *times)
{
    return (struct stack_hooks){enter, leave, spend, run, lost, times};
}

bool times_end(struct times *times)
{
    flush(times, times->window.by_branches ? times->at : times->tsc);
    return !times->no_memory;
}
