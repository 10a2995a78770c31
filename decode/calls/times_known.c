/* What a listener takes that did not hear the events before. */
#include <stdlib.h>

#include "decode/calls/times_save.h"
#include "decode/calls/times_state.h"

static int by_order(const void *left, const void *right)
{
    const struct times_task *a = *(struct times_task *const *)left, *b = *(struct times_task *const *)right;
    return a->order < b->order ? -1 : a->order > b->order;
}

bool times_each_known(struct times *times, void (*take)(void *context, const struct times_known *known), void *context)
{
    size_t count = 0, used = 0;
    for (const struct times_task *task = times->tasks; task; task = task->next)
        count++;
    struct times_task **tasks = malloc((count + 1) * sizeof(struct times_task *));
    for (struct times_task *task = times->tasks; task && tasks; task = task->next)
        if (task->order && task->ran)
            tasks[used++] = task;
    if (used > 0)
        qsort(tasks, used, sizeof(struct times_task *), by_order);
    for (size_t i = 0; i < used; i++) {
        struct times_task *task = tasks[i];
        task->shown_depth = task->task.depth;
        take(context, &(struct times_known){.task = &task->task,
                                            .calls = task->calls,
                                            .clock = task->clock,
                                            .since = task->since,
                                            .runs = task->runs,
                                            .ended = task->ended,
                                            .cpu = task->ran->hooks.context});
    }
    free(tasks);
    return tasks != NULL;
}

void times_span(const struct times *times, uint64_t *first, uint64_t *last)
{
    *first = times->first;
    *last = times->last;
}

void times_each_cpu(struct times *times, void (*take)(void *context, void *cpu, uint64_t tsc, bool lost), void *context)
{
    for (struct times_cpu *cpu = times->cpus; cpu; cpu = cpu->next) {
        cpu->shown = cpu->current;
        take(context, cpu->hooks.context, cpu->spent, cpu->lost);
    }
}
