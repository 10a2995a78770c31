#include "decode/measure/open_calls.h"

#include <stdlib.h>

#include "decode/calls/times_save.h"
#include "decode/capture/list.h"

struct open_calls *open_calls_new(const struct open_hooks *hooks)
{
    struct open_calls *calls = calloc(1, sizeof(*calls));
    if (calls)
        calls->hooks = *hooks;
    return calls;
}

void open_calls_free(struct open_calls *calls)
{
    while (calls && calls->tasks) {
        struct open_task *task = calls->tasks;
        calls->tasks = task->next;
        free(task->calls);
        free(task);
    }
    free(calls);
}

typedef void task_hook(void *context, struct open_task *task, uint64_t tsc);

static void call_hook(const struct open_calls *calls, task_hook *hook, struct open_task *task, uint64_t tsc)
{
    if (hook)
        hook(calls->hooks.context, task, tsc);
}

/* NULL: no memory. */
static struct open_task *task_of(struct open_cpu *cpu, struct stack_task *from)
{
    struct open_task *task = (struct open_task *)(uintptr_t)from->user;
    if (!task) {
        task = calloc(1, sizeof(*task));
        if (!task) {
            cpu->calls->no_memory = true;
            return NULL;
        }
        *task = (struct open_task){.number = from->number, .next = cpu->calls->tasks};
        cpu->calls->tasks = task;
        from->user = (uint64_t)(uintptr_t)task;
    }
    task->space = from->space;
    task->at = from->at;
    task->pages = from->pages;
    task->thread = from->thread;
    return task;
}

static void stop(struct open_cpu *cpu, uint64_t tsc)
{
    struct open_task *task = cpu->task;
    cpu->task = NULL;
    if (!task || !task->runs)
        return;
    call_hook(cpu->calls, cpu->calls->hooks.stops, task, tsc);
    task->runs = false;
    task->since = tsc;
}

/* The task's calls stay as they are, to be read after the last event. */
static void leave_all(struct open_calls *calls, struct open_task *task, uint64_t tsc)
{
    if (!task->gone)
        call_hook(calls, calls->hooks.leaves, task, tsc);
    task->gone = true;
}

/* NULL: no memory. */
static struct open_call *add_call(struct open_calls *open, struct open_task *task)
{
    void *calls = task->calls;
    struct open_call *call = list_add(&calls, &task->depth, &task->room, sizeof(*call));
    task->calls = calls;
    open->no_memory |= !call;
    return call;
}

static void enter(void *context, struct stack_task *from, uint64_t tsc)
{
    struct open_cpu *cpu = context;
    struct open_task *task = task_of(cpu, from);
    const struct stack_frame *frame = &from->frames[from->depth - 1];
    if (!task || task->gone)
        return;
    if (task->depth >= from->depth)
        task->depth = from->depth - 1;
    struct open_call *call = add_call(cpu->calls, task);
    if (!call)
        return;
    *call = (struct open_call){.name = frame->name,
                               .site = frame->site,
                               .to = frame->to,
                               .entry = frame->entry,
                               .begin = tsc,
                               .clock = task->clock};
    call_hook(cpu->calls, cpu->calls->hooks.begins, task, tsc);
}

static void leave(void *context, struct stack_task *from, uint64_t tsc)
{
    struct open_cpu *cpu = context;
    struct open_task *task = task_of(cpu, from);
    if (!task || task->gone || task->depth != from->depth)
        return;
    call_hook(cpu->calls, cpu->calls->hooks.returns, task, tsc);
    task->depth--;
}

/* As the report counts time (decode/profile/profile.c), so that sums are equal. */
static void spend(void *context, struct stack_task *from, uint64_t branches, uint64_t tsc)
{
    struct open_cpu *cpu = context;
    struct open_calls *calls = cpu->calls;
    const uint64_t ticks = cpu->tsc && tsc > cpu->tsc ? tsc - cpu->tsc : 0;
    (void)branches;
    cpu->tsc = tsc;
    if (tsc && (!calls->first || tsc < calls->first))
        calls->first = tsc;
    calls->last = tsc > calls->last ? tsc : calls->last;
    struct open_task *task = from && from->depth > 0 && !cpu->lost ? task_of(cpu, from) : NULL;
    cpu->lost = false;
    if (task)
        task->clock += ticks;
}

static void run(void *context, struct stack_task *from, uint64_t tsc)
{
    struct open_cpu *cpu = context;
    stop(cpu, tsc);
    struct open_task *task = from ? task_of(cpu, from) : NULL;
    if (!task)
        return;
    if (task->gone) {
        task->gone = task->over = false;
        task->depth = 0;
    }
    call_hook(cpu->calls, cpu->calls->hooks.runs, task, tsc);
    task->runs = true;
    task->cpu = cpu->cpu;
    task->since = tsc;
    cpu->task = task;
}

/* Only the tasks that run on other CPUs remain known. */
static void lost(void *context, uint64_t tsc)
{
    struct open_cpu *cpu = context;
    stop(cpu, tsc);
    cpu->lost = true;
    for (struct open_task *task = cpu->calls->tasks; task; task = task->next)
        if (!task->runs) {
            leave_all(cpu->calls, task, tsc);
            task->over = true;
        }
}

static void end(void *context, struct stack_task *from, uint64_t tsc)
{
    struct open_cpu *cpu = context;
    struct open_task *task = (struct open_task *)(uintptr_t)from->user;
    if (tsc >= cpu->calls->to || !task)
        return;
    leave_all(cpu->calls, task, tsc);
    task->over = !cpu->ended;
}

/* Nothing more of the CPU is seen. Its task remains the one that runs on it. */
static void end_cpu(struct open_cpu *cpu, uint64_t tsc)
{
    struct open_task *task = cpu->task;
    stop(cpu, tsc);
    cpu->task = task;
    if (task)
        leave_all(cpu->calls, task, tsc);
}

/* The frames of the running task are left only because nothing follows. */
static void finish(void *context, uint64_t tsc)
{
    struct open_cpu *cpu = context;
    cpu->ended = true;
    end_cpu(cpu, tsc);
}

struct stack_hooks open_calls_hooks(struct open_calls *calls, uint16_t number)
{
    struct open_cpu *cpu = &calls->cpus[number];
    *cpu = (struct open_cpu){.calls = calls, .cpu = number, .present = true};
    return (struct stack_hooks){enter, leave, spend, run, lost, cpu, end, NULL, finish};
}

static struct stack_hooks begin_cpu(void *context, uint16_t number)
{
    return open_calls_hooks(context, number);
}

/* What was under way at the window's end. */
static void end_all(void *context)
{
    struct open_calls *calls = context;
    for (unsigned cpu = 0; cpu < CAPTURE_MAX_CPUS; cpu++)
        if (calls->cpus[cpu].present && !calls->cpus[cpu].ended)
            end_cpu(&calls->cpus[cpu], calls->cpus[cpu].tsc);
    for (struct open_task *task = calls->tasks; task; task = task->next)
        leave_all(calls, task, calls->last);
}

/* A task as it is where the pass begins. */
static void take_known(void *context, const struct times_known *known)
{
    struct open_calls *calls = context;
    struct open_cpu *cpu = known->cpu;
    struct open_task *task = task_of(cpu, known->task);
    for (size_t i = 0; i < known->task->depth && task; i++) {
        const struct stack_frame *frame = &known->task->frames[i];
        struct open_call *call = add_call(calls, task);
        if (!call)
            return;
        *call = (struct open_call){.name = frame->name,
                                   .site = frame->site,
                                   .to = frame->to,
                                   .entry = frame->entry,
                                   .begin = known->calls[i].begin,
                                   .clock = known->calls[i].clock};
    }
    if (!task)
        return;
    task->clock = known->clock;
    task->since = known->since;
    task->runs = known->runs;
    task->cpu = cpu->cpu;
    task->gone = task->over = known->ended;
    if (task->runs)
        cpu->task = task;
}

static void take_cpu(void *context, void *cpu, uint64_t tsc, bool lost)
{
    struct open_cpu *of = cpu;
    (void)context;
    of->tsc = tsc;
    of->lost = lost;
}

static bool resume(void *context, struct times *times)
{
    struct open_calls *calls = context;
    calls->resumed = true;
    times_span(times, &calls->first, &calls->last);
    times_each_cpu(times, take_cpu, calls);
    return times_each_known(times, take_known, calls) && !calls->no_memory;
}

bool open_calls_collect(struct open_calls *calls, struct calls_run *run, struct error *error)
{
    const struct calls_listener listener = {.begin = begin_cpu,
                                            .end = end_all,
                                            .context = calls,
                                            .resume = calls->resume_before ? resume : NULL,
                                            .resume_before = calls->resume_before};
    run->window.from = 0;
    calls->to = run->window.to;
    return calls_collect(run, &listener, error) &&
           (!calls->no_memory || error_set(error, ERROR_MEMORY, 0, "the open calls"));
}

bool open_calls_decode(const struct open_hooks *hooks, struct calls_run *run, uint64_t from, struct error *error)
{
    struct open_calls *calls = open_calls_new(hooks);
    if (calls)
        calls->resume_before = from;
    const bool good =
        calls ? open_calls_collect(calls, run, error) : error_set(error, ERROR_MEMORY, 0, "the open calls");
    open_calls_free(calls);
    return good;
}
