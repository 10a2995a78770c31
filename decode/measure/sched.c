#include "decode/measure/sched.h"

#include <stdio.h>
#include <string.h>

#include "decode/names/symbol_match.h"

enum sched_class {
    CLASS_OTHER = 1,
    CLASS_SCHEDULE, /* __schedule, which switches tasks */
    CLASS_WRAPPER,  /* schedule(), which calls it for tasks that block, */
    CLASS_IDLE,     /* nothing else could run: no wait */
    CLASS_RUNNABLE  /* or for those that could continue, as the others do */
};

static uint32_t classify(void *context, const struct name *name)
{
    static const struct {
        const char *symbol;
        enum sched_class is;
    } classes[] = {{"__schedule", CLASS_SCHEDULE},
                   {"schedule", CLASS_WRAPPER},
                   {"schedule_idle", CLASS_IDLE},
                   {"preempt_schedule", CLASS_RUNNABLE},
                   {"preempt_schedule_common", CLASS_RUNNABLE},
                   {"preempt_schedule_notrace", CLASS_RUNNABLE},
                   {"preempt_schedule_irq", CLASS_RUNNABLE},
                   {"__cond_resched", CLASS_RUNNABLE},
                   {"exit_to_user_mode_loop", CLASS_RUNNABLE},
                   {"exit_to_user_mode_prepare", CLASS_RUNNABLE},
                   {"irqentry_exit_to_user_mode", CLASS_RUNNABLE},
                   {"syscall_exit_to_user_mode", CLASS_RUNNABLE},
                   {"do_sched_yield", CLASS_RUNNABLE}};
    (void)context;
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
        if (symbol_is(name->symbol, classes[i].symbol))
            return classes[i].is;
    return CLASS_OTHER;
}

/* The task has been switched away from: which wait begins? SCHED_RUN: none, or it is not known why. */
static enum sched_measured wait_of(struct sched *sched, const struct open_task *task)
{
    size_t depth = task->depth;
    while (depth > 0 && name_class(&sched->classes, task->calls[depth - 1].name) != CLASS_SCHEDULE)
        depth--;
    if (depth <= 1)
        return SCHED_RUN;
    uint32_t caller = name_class(&sched->classes, task->calls[depth - 2].name);
    if (caller == CLASS_WRAPPER && depth > 2)
        caller = name_class(&sched->classes, task->calls[depth - 3].name);
    if (caller == CLASS_IDLE)
        return SCHED_RUN;
    return caller == CLASS_RUNNABLE ? SCHED_RUNNABLE : SCHED_BLOCKED;
}

/* The task's user field: its clock when it began to run. Its row is found by its number. */
static struct measure_row *row_of(struct sched *sched, const struct open_task *task)
{
    char text[16];
    snprintf(text, sizeof(text), "%u", task->number);
    return measure_rows_find(&sched->rows, text, NULL);
}

static void on_run(void *context, struct open_task *task, uint64_t tsc)
{
    struct sched *sched = context;
    struct measure_row *row = row_of(sched, task);
    task->user = task->clock;
    if (!row || task->since == 0 || row->state == SCHED_RUN || !measure_has(&sched->measure, task->since))
        return;
    const struct slow_call wait = {.begin = task->since,
                                   .elapsed = tsc - task->since,
                                   .task = task->number,
                                   .space = task->space,
                                   .process = measure_process(&sched->measure, task),
                                   .cpu = task->cpu};
    measured_take(&row->measured[row->state], &sched->measure, &wait);
}

static void on_stop(void *context, struct open_task *task, uint64_t tsc)
{
    struct sched *sched = context;
    struct measure_row *row = row_of(sched, task);
    if (!row)
        return;
    row->state = wait_of(sched, task);
    measure_task_text(row->label, &sched->measure, task);
    if (!measure_has(&sched->measure, task->since))
        return;
    const struct slow_call ran = {.begin = task->since,
                                  .elapsed = tsc - task->since,
                                  .running = task->clock - task->user,
                                  .task = task->number,
                                  .space = task->space,
                                  .process = measure_process(&sched->measure, task),
                                  .cpu = task->cpu};
    measured_take(&row->measured[SCHED_RUN], &sched->measure, &ran);
    row->measured[SCHED_RUN].running += ran.running;
}

bool sched_collect(struct sched *sched, struct calls_run *run, struct error *error)
{
    const struct open_hooks hooks = {.runs = on_run, .stops = on_stop, .context = sched};
    sched->classes = (struct name_classes){.classify = classify};
    return open_calls_decode(&hooks, run, sched->measure.from, error) &&
           (!sched->rows.no_memory || error_set(error, ERROR_MEMORY, 0, "the tasks' times"));
}

void sched_free(struct sched *sched)
{
    measure_rows_free(&sched->rows);
    name_classes_free(&sched->classes);
}
