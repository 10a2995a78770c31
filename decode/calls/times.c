#include "decode/calls/times.h"

#include <stdlib.h>
#include <string.h>

#include "decode/calls/times_state.h"
#include "decode/names/symbol_match.h"

/* The maximum number of held items. Beyond it, items get the last known time. */
#define MOST_HELD (1u << 20)

struct times *times_open(struct times_window window)
{
    struct times *times = calloc(1, sizeof(*times));
    if (times)
        times->window = window;
    return times;
}

void times_close(struct times *times)
{
    if (!times)
        return;
    while (times->tasks) {
        struct times_task *task = times->tasks;
        times->tasks = task->next;
        times_task_free(task);
    }
    while (times->cpus) {
        struct times_cpu *cpu = times->cpus;
        times->cpus = cpu->next;
        free(cpu->items);
        free(cpu);
    }
    free(times);
}

/* Estimated ticks of branches while the CPU does not halt. */
static double busy_ticks(const struct times_cpu *cpu, uint64_t branches)
{
    return cpu->busy_branches ? (double)cpu->busy_ticks / (double)cpu->busy_branches * (double)branches : 0;
}

/* How the ticks of a span are spread: for each branch, and for each wake-up from a halt. */
struct spread {
    double pace, rest;
};

static struct spread spread_of(struct times_cpu *cpu, uint64_t ticks, uint64_t branches)
{
    size_t woken = 0;
    double rest = 0;
    for (size_t i = 0; i < cpu->count; i++)
        woken += cpu->items[i].woken;
    if (woken == 0) {
        cpu->busy_ticks += ticks;
        cpu->busy_branches += branches;
    } else if (cpu->busy_branches > 0 && busy_ticks(cpu, branches) < (double)ticks) {
        rest = ((double)ticks - busy_ticks(cpu, branches)) / (double)woken;
    }
    return (struct spread){branches ? ((double)ticks - rest * (double)woken) / (double)branches : 0, rest};
}

static void emit_held(struct times_cpu *cpu, uint64_t from, uint64_t to, struct spread spread)
{
    const uint64_t begin = cpu->emitted_at;
    uint64_t last = from;
    double rests = 0;
    for (size_t i = 0; i < cpu->count; i++) {
        const struct times_item *item = &cpu->items[i];
        rests += item->woken ? spread.rest : 0;
        const uint64_t when = from + (uint64_t)(spread.pace * (double)(item->at - begin) + rests);
        last = when < last ? last : when > to ? to : when;
        times_emit(cpu, item, item->at, last);
    }
    cpu->count = 0;
}

/* All held items happened before tsc: emit them. */
static void flush(struct times_cpu *cpu, uint64_t tsc)
{
    const uint64_t from = cpu->tsc ? cpu->tsc : tsc;
    emit_held(cpu, from, tsc, spread_of(cpu, tsc - from, cpu->at - cpu->emitted_at));
    times_emit(cpu, NULL, cpu->at, tsc);
    cpu->tsc = tsc;
}

/* Emit the held items although the CPU's next time is unknown; only that it is not before now is known. */
static void flush_early(struct times_cpu *cpu, uint64_t now)
{
    const uint64_t from = cpu->tsc, branches = cpu->at - cpu->emitted_at;
    const double ticks = busy_ticks(cpu, branches);
    if (cpu->times->window.by_branches || now <= from || from == 0)
        now = from;
    else
        now = ticks < (double)(now - from) ? from + (uint64_t)ticks : now;
    const struct spread spread = {branches ? (double)(now - from) / (double)branches : 0, 0};
    emit_held(cpu, from, now, spread);
    times_emit(cpu, NULL, cpu->at, now);
    cpu->tsc = now;
}

static void advance(struct times_cpu *cpu, uint64_t tsc)
{
    if (cpu->times->window.by_branches)
        flush(cpu, cpu->at);
    else if (tsc > cpu->tsc)
        flush(cpu, tsc);
}

/* Grow the buffer up to the maximum, if there is memory. */
static void make_room(struct times_cpu *cpu)
{
    const size_t room = cpu->room ? 2 * cpu->room : 4096;
    if (cpu->count < cpu->room || cpu->room >= MOST_HELD)
        return;
    struct times_item *more = realloc(cpu->items, room * sizeof(*more));
    if (!more)
        return;
    cpu->items = more;
    cpu->room = room;
}

static void hold(struct times_cpu *cpu, struct times_item item, uint64_t tsc)
{
    if (item.task && item.task->cpu != cpu) {
        if (item.task->cpu)
            flush_early(item.task->cpu, tsc);
        item.task->cpu = cpu;
    }
    make_room(cpu);
    if (cpu->count == cpu->room)
        flush(cpu, cpu->tsc);
    item.at = cpu->at;
    if (cpu->room == 0)
        cpu->times->no_memory = true;
    else
        cpu->items[cpu->count++] = item;
}

/* The copy of a task of the stacks; see struct times_task. */
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
    copy->selected = !times->window.is_selected;
    copy->next = times->tasks;
    times->tasks = copy;
    task->user = (uint64_t)(uintptr_t)copy;
    return copy;
}

/* Functions in which Linux halts until an interrupt. */
static bool is_halt(const struct name *name)
{
    static const char *const symbols[] = {"native_safe_halt",   "pv_native_safe_halt", "acpi_safe_halt", "default_idle",
                                          "acpi_idle_do_entry", "mwait_idle",          "intel_idle",     "native_halt"};
    for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++)
        if (symbol_is(name->symbol, symbols[i]))
            return true;
    return false;
}

static struct times_item item_of(struct times_cpu *cpu, enum times_kind kind, struct stack_task *task)
{
    struct times_item item = {.kind = (uint8_t)kind, .task = copy_of(cpu->times, task)};
    if (task) {
        item.space = task->space;
        item.pages = task->pages;
        item.thread = task->thread;
        item.trace_at = task->at;
    }
    return item;
}

static void enter(void *context, struct stack_task *task, uint64_t tsc)
{
    struct times_cpu *cpu = context;
    const struct stack_frame *frame = &task->frames[task->depth - 1];
    struct times_item item = item_of(cpu, TIMES_ENTER, task);
    item.name = frame->name;
    item.site = frame->site;
    item.to = frame->to;
    item.entry = (uint8_t)frame->entry;
    item.woken = frame->entry == STACK_INTERRUPT && task->depth > 1 && is_halt(frame[-1].name);
    advance(cpu, tsc);
    hold(cpu, item, tsc);
}

static void leave(void *context, struct stack_task *task, uint64_t tsc)
{
    struct times_cpu *cpu = context;
    const struct times_item item = item_of(cpu, TIMES_LEAVE, task);
    advance(cpu, tsc);
    hold(cpu, item, tsc);
}

static void spend(void *context, struct stack_task *task, uint64_t branches, uint64_t tsc)
{
    struct times_cpu *cpu = context;
    (void)task;
    cpu->at += branches;
    advance(cpu, tsc);
}

static void run(void *context, struct stack_task *task, uint64_t tsc)
{
    struct times_cpu *cpu = context;
    const struct times_item item = item_of(cpu, TIMES_RUN, task);
    advance(cpu, tsc);
    hold(cpu, item, tsc);
}

static void lost(void *context, uint64_t tsc)
{
    struct times_cpu *cpu = context;
    advance(cpu, tsc);
    for (struct times_cpu *each = cpu->times->cpus; each; each = each->next)
        flush_early(each, tsc);
    times_emit_lost(cpu, cpu->tsc);
}

/* Emit the held items of the task first. */
static void end(void *context, struct stack_task *task, uint64_t tsc)
{
    struct times_cpu *cpu = context;
    const struct times_item item = item_of(cpu, TIMES_RUN, task);
    if (!item.task)
        return;
    advance(cpu, tsc);
    flush_early(item.task->cpu ? item.task->cpu : cpu, tsc);
    times_emit_end(cpu, &item, cpu->tsc);
}

static void finish(void *context, uint64_t tsc)
{
    struct times_cpu *cpu = context;
    advance(cpu, tsc);
    hold(cpu, item_of(cpu, TIMES_FINISH, NULL), tsc);
}

struct stack_hooks times_hooks(struct times *times, const struct stack_hooks *hooks)
{
    struct times_cpu *cpu = calloc(1, sizeof(*cpu));
    if (!cpu) {
        times->no_memory = true;
        return *hooks;
    }
    cpu->times = times;
    cpu->hooks = *hooks;
    cpu->next = times->cpus;
    times->cpus = cpu;
    return (struct stack_hooks){enter, leave, spend, run, lost, cpu, end, NULL, finish};
}

bool times_end(struct times *times)
{
    for (struct times_cpu *cpu = times->cpus; cpu; cpu = cpu->next)
        flush(cpu, times->window.by_branches ? cpu->at : cpu->tsc);
    return !times->no_memory;
}
