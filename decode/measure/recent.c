#include "decode/measure/recent.h"

#include <stdlib.h>

static void on_begin(void *context, struct open_task *task, uint64_t tsc)
{
    struct recent *recent = context;
    struct recent_cpu *cpu = &recent->cpus[task->cpu];
    const struct open_call *call = open_calls_top(task);
    if (!cpu->items)
        cpu->items = calloc(recent->most, sizeof(*cpu->items));
    if (!cpu->items) {
        recent->no_memory = true;
        return;
    }
    cpu->items[cpu->count++ % recent->most] = (struct recent_call){.name = call->name,
                                                                   .begin = tsc,
                                                                   .task = task->number,
                                                                   .depth = (uint32_t)task->depth - 1,
                                                                   .entry = call->entry};
}

static bool collect(struct recent *recent, struct calls_run *run, uint64_t resume_before, struct error *error)
{
    const struct open_hooks hooks = {.begins = on_begin, .context = recent};
    recent->calls = open_calls_new(&hooks);
    if (!recent->calls)
        return error_set(error, ERROR_MEMORY, 0, "the open calls");
    recent->calls->resume_before = resume_before;
    return open_calls_collect(recent->calls, run, error) &&
           (!recent->no_memory || error_set(error, ERROR_MEMORY, 0, "the last calls"));
}

/* Are fewer calls known than asked for, since not all were seen? */
static bool is_short(const struct recent *recent)
{
    for (unsigned cpu = 0; cpu < CAPTURE_MAX_CPUS && recent->calls->resumed; cpu++)
        if (recent->calls->cpus[cpu].present && recent_count(recent, cpu) < recent->most)
            return true;
    return false;
}

/* From the last checkpoint on, if enough happened after it. */
bool recent_collect(struct recent *recent, struct calls_run *run, struct error *error)
{
    const struct calls_run before = *run;
    if (!collect(recent, run, UINT64_MAX, error))
        return false;
    if (!is_short(recent))
        return true;
    recent_free(recent);
    *recent = (struct recent){.most = recent->most};
    *run = before;
    return collect(recent, run, 0, error);
}

void recent_free(struct recent *recent)
{
    open_calls_free(recent->calls);
    for (unsigned cpu = 0; cpu < CAPTURE_MAX_CPUS; cpu++)
        free(recent->cpus[cpu].items);
}

size_t recent_count(const struct recent *recent, unsigned cpu)
{
    const uint64_t count = recent->cpus[cpu].count;
    return count < recent->most ? (size_t)count : recent->most;
}

const struct recent_call *recent_call(const struct recent *recent, unsigned cpu, size_t index)
{
    const struct recent_cpu *of = &recent->cpus[cpu];
    return &of->items[(of->count - 1 - index) % recent->most];
}
