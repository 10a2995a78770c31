#include "decode/measure/measured.h"

#include <inttypes.h>
#include <stdio.h>

#include "decode/names/symbol_match.h"

uint64_t measure_length(const struct measure *measure, uint64_t ticks)
{
    return calls_nanoseconds(&measure->run->clock, measure->run->clock.zero + ticks);
}

const char *measure_process(const struct measure *measure, const struct open_task *task)
{
    if (task->thread)
        return task->thread->text;
    if (task->space == FLOW_CR3_UNKNOWN || !task->pages)
        return NULL;
    return names_process_text(measure->run->names, task->pages, task->space, task->at);
}

/* The function that a kernel thread was created for. NULL: not known. */
static const char *thread_function(const struct open_task *task)
{
    static const char *const starts[] = {"ret_from_fork_asm", "ret_from_fork", "kthread"};
    for (size_t i = 0; i < task->depth; i++) {
        const struct name *name = task->calls[i].name;
        bool starts_it = false;
        for (size_t k = 0; k < sizeof(starts) / sizeof(starts[0]); k++)
            starts_it |= symbol_is(name->symbol, starts[k]);
        if (!starts_it)
            return name->shown;
    }
    return NULL;
}

const char *measure_task_text(char text[TASK_TEXT_SIZE], const struct measure *measure, const struct open_task *task)
{
    const char *process = measure_process(measure, task), *function = thread_function(task);
    if (process)
        snprintf(text, TASK_TEXT_SIZE, "%s", process);
    else if (task->space != FLOW_CR3_UNKNOWN)
        snprintf(text, TASK_TEXT_SIZE, "CR3 %#" PRIx64, task->space);
    else
        snprintf(text, TASK_TEXT_SIZE, "kernel task %u%s%.60s", task->number, function ? ": " : "",
                 function ? function : "");
    return text;
}

static void add_running(struct measured *measured, const struct open_task *task, const struct open_call *call,
                        bool nested)
{
    if (!nested)
        measured->running += task->clock - call->clock;
}

void measured_take(struct measured *measured, const struct measure *measure, const struct slow_call *call)
{
    measured->begun++;
    measured->elapsed += call->elapsed;
    distribution_add(&measured->times, measure_length(measure, call->elapsed));
    if (slowest_has_room(&measured->slowest, call->elapsed))
        slowest_add(&measured->slowest, call);
}

void measured_add(struct measured *measured, const struct measure *measure, const struct open_task *task,
                  const struct open_call *call, uint64_t tsc, bool nested)
{
    const uint64_t elapsed = tsc - call->begin;
    if (!measure_has(measure, call->begin))
        return;
    add_running(measured, task, call, nested);
    const bool slow = slowest_has_room(&measured->slowest, elapsed);
    measured_take(measured, measure,
                  &(struct slow_call){.begin = call->begin,
                                      .elapsed = elapsed,
                                      .running = task->clock - call->clock,
                                      .task = task->number,
                                      .space = task->space,
                                      .process = slow ? measure_process(measure, task) : NULL,
                                      .cpu = task->cpu});
}

void measured_leave(struct measured *measured, const struct measure *measure, const struct open_task *task,
                    const struct open_call *call, bool nested)
{
    if (!measure_has(measure, call->begin))
        return;
    add_running(measured, task, call, nested);
    measured->begun++;
    measured->unfinished++;
}

void measured_free(struct measured *measured)
{
    distribution_free(&measured->times);
}
