#include "decode/calls/stack_log.h"

#include <stdlib.h>

#include "decode/capture/list.h"

/* NULL: no memory. */
static struct stack_log_frame *add_frame(struct stack_log *log)
{
    void *frames = log->frames;
    struct stack_log_frame *frame = list_add(&frames, &log->nr_frames, &log->frames_room, sizeof(*frame));
    log->frames = frames;
    log->no_memory |= !frame;
    if (frame)
        *frame = (struct stack_log_frame){0};
    return frame;
}

static bool is_same(const struct stack_log_frame *kept, const struct stack_frame *frame)
{
    return kept->site == frame->site && kept->to == frame->to && kept->entry == frame->entry;
}

/* The kept frame that is so deep, from another one down. */
static uint32_t down_to(const struct stack_log *log, uint32_t index, size_t depth)
{
    while (log->frames[index].depth > depth)
        index = log->frames[index].below;
    return index;
}

/* Keep the frames of a stack. kept: the top of the same task's stack one transfer before, or 0. A transfer only changes
 * frames at the top: what is below the first equal frame is unchanged. */
static uint32_t keep(struct stack_log *log, const struct stack_task *task, uint32_t kept)
{
    size_t depth = log->frames[kept].depth < task->depth ? log->frames[kept].depth : task->depth;
    kept = down_to(log, kept, depth);
    while (depth > 0 && !is_same(&log->frames[kept], &task->frames[depth - 1])) {
        depth--;
        kept = log->frames[kept].below;
    }
    for (; depth < task->depth; depth++) {
        const struct stack_frame *frame = &task->frames[depth];
        struct stack_log_frame *more = add_frame(log);
        if (!more)
            return 0;
        *more = (struct stack_log_frame){frame->site, frame->to, kept, (uint32_t)depth + 1, frame->entry};
        kept = (uint32_t)(log->nr_frames - 1);
    }
    return kept;
}

static uint32_t keep_task(struct stack_log *log, const struct stack_task *task)
{
    void *tasks = log->tasks;
    if (log->nr_tasks > 0 && log->tasks[log->nr_tasks - 1].number == task->number &&
        log->tasks[log->nr_tasks - 1].space == task->space)
        return (uint32_t)(log->nr_tasks - 1);
    struct stack_log_task *more = list_add(&tasks, &log->nr_tasks, &log->tasks_room, sizeof(*more));
    log->tasks = tasks;
    log->no_memory |= !more;
    if (more)
        *more = (struct stack_log_task){task->number, task->space};
    return more ? (uint32_t)(log->nr_tasks - 1) : 0;
}

/* The entry for a moment: the last one, if it has the same moment, else a new one. NULL: no memory. */
static struct stack_log_entry *entry_for(struct stack_log *log, struct stacks_moment moment)
{
    struct stack_log_entry *last = log->nr_entries > 0 ? &log->entries[log->nr_entries - 1] : NULL;
    if (last && last->moment.stretch == moment.stretch && last->moment.taken == moment.taken)
        return last;
    void *entries = log->entries;
    struct stack_log_entry *entry = list_add(&entries, &log->nr_entries, &log->entries_room, sizeof(*entry));
    log->entries = entries;
    log->no_memory |= !entry;
    return entry;
}

void stack_log_note(void *context, const struct stack_task *task, struct stacks_moment moment)
{
    struct stack_log *log = context;
    if (moment.stretch < log->from || moment.stretch >= log->to || log->no_memory)
        return;
    if (log->nr_frames == 0 && !add_frame(log))
        return;
    /* Before the first entry, nothing is known. */
    const struct stack_log_entry last =
        log->nr_entries > 0 ? log->entries[log->nr_entries - 1] : (struct stack_log_entry){0};
    const bool same = task && last.top && log->tasks[last.task].number == task->number;
    const uint32_t top = task ? keep(log, task, same ? last.top : 0) : 0;
    const uint32_t number = task ? keep_task(log, task) : 0;
    if (last.top == top && (last.task == number || !top))
        return;
    struct stack_log_entry *entry = entry_for(log, moment);
    if (entry)
        *entry = (struct stack_log_entry){moment, top, number};
}

const struct stack_log_entry *stack_log_at(const struct stack_log *log, struct stacks_moment moment)
{
    size_t low = 0, high = log->nr_entries; /* entries before low are not after it, those from high on are */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct stacks_moment *at = &log->entries[middle].moment;
        if (at->stretch < moment.stretch || (at->stretch == moment.stretch && at->taken <= moment.taken))
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? &log->entries[low - 1] : NULL;
}

/* --- the pass: only what is watched is wanted --- */

static void ignore(void *context, struct stack_task *task, uint64_t tsc)
{
    (void)context;
    (void)task;
    (void)tsc;
}

static void ignore_branches(void *context, struct stack_task *task, uint64_t branches, uint64_t tsc)
{
    (void)context;
    (void)task;
    (void)branches;
    (void)tsc;
}

static void ignore_gap(void *context, uint64_t tsc)
{
    (void)context;
    (void)tsc;
}

static struct stack_hooks begin_cpu(void *context, uint16_t cpu)
{
    (void)cpu;
    return (struct stack_hooks){ignore, ignore, ignore_branches, ignore, ignore_gap, context, NULL, NULL, NULL};
}

static void end_all(void *context)
{
    (void)context;
}

static bool resume(void *context, struct times *times)
{
    (void)context;
    (void)times;
    return true;
}

bool stack_log_read(struct stack_log *log, struct calls_run *run, uint64_t before, uint64_t end, struct error *error)
{
    const struct calls_listener listener = {
        .begin = begin_cpu, .end = end_all, .context = log, .resume = resume, .resume_before = before};
    run->watched = log->cpu;
    run->watch = (struct stacks_watch){stack_log_note, log};
    run->window = (struct times_window){.to = end};
    return calls_collect(run, &listener, error) &&
           (!log->no_memory || error_set(error, ERROR_MEMORY, 0, "the stacks of a part of the trace"));
}

void stack_log_free(struct stack_log *log)
{
    free(log->frames);
    free(log->tasks);
    free(log->entries);
    *log = (struct stack_log){0};
}
