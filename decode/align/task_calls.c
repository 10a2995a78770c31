#include "decode/align/task_calls.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/capture/list.h"
#include "decode/names/symbol_match.h"

/* --- times --- */

/* Too many: the least distance is doubled, and what is closer is dropped. */
static void thin_times(struct boot_calls *boot)
{
    boot->least = boot->least ? 2 * boot->least : 1;
    boot->nr_times = 0;
    for (size_t i = 0; i < boot->count; i++) {
        struct task_calls *task = &boot->tasks[i];
        size_t left = 0;
        for (size_t k = 0; k < task->nr_times; k++)
            if (left == 0 || task->times[k].tsc - task->times[left - 1].tsc > boot->least)
                task->times[left++] = task->times[k];
        task->nr_times = left;
        boot->nr_times += left;
    }
}

/* The next event of a task is at this time. */
static void note_event(struct boot_calls *boot, struct task_calls *task, uint64_t tsc)
{
    const struct task_time *last = task->nr_times ? &task->times[task->nr_times - 1] : NULL;
    if (!last || tsc - last->tsc > boot->least) {
        void *times = task->times;
        struct task_time *time = list_add(&times, &task->nr_times, &task->time_room, sizeof(*time));
        task->times = times;
        boot->no_memory |= !time;
        if (time)
            *time = (struct task_time){task->events, tsc};
        boot->nr_times++;
    }
    task->events++;
    while (boot->nr_times > TASK_TIMES_MOST)
        thin_times(boot);
}

uint64_t task_calls_time(const struct task_calls *task, uint64_t event)
{
    const size_t after = LIST_AFTER(task->times, task->nr_times, struct task_time, event, event);
    return after > 0 ? task->times[after - 1].tsc : 0;
}

/* --- frames --- */

static uint32_t function_of(struct boot_calls *boot, const struct name *name)
{
    if (name->number >= boot->function_room) {
        const size_t room = 2 * (size_t)name->number + 1024;
        uint32_t *functions = realloc(boot->functions, room * sizeof(*functions));
        if (!functions) {
            boot->no_memory = true;
            return 0;
        }
        memset(functions + boot->function_room, 0, (room - boot->function_room) * sizeof(*functions));
        boot->functions = functions;
        boot->function_room = room;
    }
    uint32_t *known = &boot->functions[name->number];
    if (!*known)
        *known = call_trees_function(boot->trees, name) + 1;
    return *known - 1;
}

static void push(struct boot_calls *boot, struct task_calls *task, uint32_t function, bool interrupt)
{
    void *frames = task->frames;
    struct task_frame *frame = list_add(&frames, &task->depth, &task->frame_room, sizeof(*frame));
    task->frames = frames;
    boot->no_memory |= !frame;
    if (!frame)
        return;
    *frame = (struct task_frame){function, task->nr_items, interrupt};
    task->interrupts += interrupt;
}

/* A call is complete: it becomes an item of its caller, which counts equal ones
 * that follow each other. */
static void add_item(struct boot_calls *boot, struct task_calls *task, uint32_t tree)
{
    const size_t first = task->depth ? task->frames[task->depth - 1].first : 0;
    if (task->nr_items > first && task->items[task->nr_items - 1].tree == tree &&
        task->items[task->nr_items - 1].count < UINT32_MAX) {
        task->items[task->nr_items - 1].count++;
        return;
    }
    void *items = task->items;
    struct call_item *item = list_add(&items, &task->nr_items, &task->item_room, sizeof(*item));
    task->items = items;
    boot->no_memory |= !item;
    if (item)
        *item = (struct call_item){tree, 1};
}

static void count_interrupt(struct boot_calls *boot, uint32_t function, uint64_t calls)
{
    struct task_interrupt *interrupt = boot->interrupts;
    while (interrupt < boot->interrupts + boot->nr_interrupts && interrupt->function != function)
        interrupt++;
    if (interrupt == boot->interrupts + boot->nr_interrupts) {
        void *all = boot->interrupts;
        interrupt = list_add(&all, &boot->nr_interrupts, &boot->interrupt_room, sizeof(*interrupt));
        boot->interrupts = all;
        boot->no_memory |= !interrupt;
        if (!interrupt)
            return;
        *interrupt = (struct task_interrupt){.function = function};
    }
    interrupt->count++;
    interrupt->calls += calls;
}

static void pop(struct boot_calls *boot, struct task_calls *task)
{
    const struct task_frame frame = task->frames[task->depth - 1];
    const size_t nr_items = task->nr_items - frame.first;
    const uint32_t tree = call_trees_add(boot->trees, frame.function, task->items + frame.first, nr_items);
    task->depth--;
    task->nr_items = frame.first;
    task->interrupts -= frame.interrupt;
    if (frame.interrupt)
        count_interrupt(boot, frame.function, boot->trees->count ? boot->trees->trees[tree].calls : 0);
    else
        add_item(boot, task, tree);
}

/* --- tasks --- */

static struct task_calls *task_of(struct boot_calls *boot, struct open_task *open)
{
    if (open->user)
        return &boot->tasks[open->user - 1];
    void *tasks = boot->tasks;
    struct task_calls *task = list_add(&tasks, &boot->count, &boot->room, sizeof(*task));
    boot->tasks = tasks;
    boot->no_memory |= !task;
    if (!task)
        return NULL;
    *task = (struct task_calls){.space = FLOW_CR3_UNKNOWN};
    open->user = boot->count;
    return task;
}

/* A kernel thread is called as the function that it was created for. */
static bool starts_thread(const struct name *name)
{
    static const char *const starts[] = {"ret_from_fork_asm", "ret_from_fork", "kthread", "schedule_tail"};
    for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
        if (symbol_is(name->symbol, starts[i]))
            return true;
    return false;
}

static void name_task(struct boot_calls *boot, struct task_calls *task, const struct open_task *open,
                      const struct name *name)
{
    const char *process = NULL;
    if (open->thread && open->thread != task->thread) {
        task->thread = open->thread;
        snprintf(task->label, sizeof(task->label), "%s", open->thread->comm);
        snprintf(task->text, sizeof(task->text), "%s", open->thread->text);
    } else if (!open->thread && open->space != FLOW_CR3_UNKNOWN && open->space != task->space && open->pages) {
        process = names_process(boot->names, open->pages, open->space, open->at);
        snprintf(task->label, sizeof(task->label), "%s", process ? process : "user task");
        snprintf(task->text, sizeof(task->text), "%s", task->label);
    } else if (!task->label[0] && open->space == FLOW_CR3_UNKNOWN && !starts_thread(name)) {
        snprintf(task->label, sizeof(task->label), "%s", name->symbol ? name->shown : "kernel task");
        snprintf(task->text, sizeof(task->text), "kernel task: %s", task->label);
    }
    task->space = open->space;
}

/* --- hooks --- */

static bool goes_on(struct boot_calls *boot, uint64_t tsc)
{
    if (boot->trees->full && !boot->until)
        boot->until = tsc ? tsc : 1;
    return !boot->until && !boot->no_memory && !boot->trees->no_memory;
}

static void on_begin(void *context, struct open_task *open, uint64_t tsc)
{
    struct boot_calls *boot = context;
    const struct open_call *call = open_calls_top(open);
    struct task_calls *task = goes_on(boot, tsc) ? task_of(boot, open) : NULL;
    if (!task)
        return;
    const bool interrupt = call->entry == STACK_INTERRUPT;
    if (!interrupt && task->interrupts == 0) {
        name_task(boot, task, open, call->name);
        note_event(boot, task, tsc);
        boot->calls++;
    }
    push(boot, task, function_of(boot, call->name), interrupt);
}

static void close_call(struct boot_calls *boot, struct task_calls *task, uint64_t tsc)
{
    const bool apart = task->interrupts > 0;
    pop(boot, task);
    if (!apart)
        note_event(boot, task, tsc);
}

static void on_return(void *context, struct open_task *open, uint64_t tsc)
{
    struct boot_calls *boot = context;
    struct task_calls *task = goes_on(boot, tsc) && open->user ? &boot->tasks[open->user - 1] : NULL;
    if (task && task->depth > 0)
        close_call(boot, task, tsc);
}

static void on_leave(void *context, struct open_task *open, uint64_t tsc)
{
    struct boot_calls *boot = context;
    struct task_calls *task = goes_on(boot, tsc) && open->user ? &boot->tasks[open->user - 1] : NULL;
    while (task && task->depth > 0 && goes_on(boot, tsc))
        close_call(boot, task, tsc);
}

struct open_hooks boot_calls_hooks(struct boot_calls *boot)
{
    return (struct open_hooks){.begins = on_begin, .returns = on_return, .leaves = on_leave, .context = boot};
}

void boot_calls_end(struct boot_calls *boot)
{
    for (size_t i = 0; i < boot->count; i++) {
        struct task_calls *task = &boot->tasks[i];
        while (task->depth > 0 && !boot->no_memory && !boot->trees->no_memory)
            close_call(boot, task, boot->until ? boot->until : task_calls_time(task, task->events));
        if (!task->label[0])
            snprintf(task->label, sizeof(task->label), "kernel task");
        if (!task->text[0])
            snprintf(task->text, sizeof(task->text), "%s", task->label);
        const struct name name = {.symbol = task->label, .shown = task->label};
        task->tree = call_trees_add(boot->trees, call_trees_function(boot->trees, &name), task->items, task->nr_items);
    }
}

bool boot_calls_collect(struct boot_calls *boot, struct call_trees *trees, struct calls_run *run, struct error *error)
{
    *boot = (struct boot_calls){.trees = trees, .names = run->names};
    const struct open_hooks hooks = boot_calls_hooks(boot);
    bool good = open_calls_decode(&hooks, run, 0, error);
    if (good)
        boot_calls_end(boot);
    if (good && (boot->no_memory || trees->no_memory))
        good = error_set(error, ERROR_MEMORY, 0, "call trees");
    return good;
}

void boot_calls_free(struct boot_calls *boot)
{
    for (size_t i = 0; i < boot->count; i++) {
        free(boot->tasks[i].frames);
        free(boot->tasks[i].items);
        free(boot->tasks[i].times);
    }
    free(boot->tasks);
    free(boot->interrupts);
    free(boot->functions);
    *boot = (struct boot_calls){0};
}
