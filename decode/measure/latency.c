#include "decode/measure/latency.h"

#include <stdlib.h>

#include "decode/capture/list.h"

#define NOT_MEASURED 1u
#define FIRST 2u

static uint32_t compare(void *context, const struct name *name)
{
    struct latency *latency = context;
    if (!latency->matches(latency->context, name))
        return NOT_MEASURED;
    void *functions = latency->functions;
    struct latency_function *function =
        list_add(&functions, &latency->count, &latency->room, sizeof(*latency->functions));
    latency->functions = functions;
    latency->no_memory |= !function;
    if (!function)
        return NOT_MEASURED;
    *function = (struct latency_function){.name = name};
    return (uint32_t)(latency->count - 1) + FIRST;
}

static void on_begin(void *context, struct open_task *task, uint64_t tsc)
{
    struct latency *latency = context;
    struct open_call *call = open_calls_top(task);
    (void)tsc;
    call->user = name_class(&latency->classes, call->name);
}

/* Is the call at this depth within another one of the same function? */
static bool is_nested(const struct open_task *task, size_t depth)
{
    const struct name *name = task->calls[depth].name;
    while (depth-- > 0)
        if (task->calls[depth].name == name)
            return true;
    return false;
}

static void on_return(void *context, struct open_task *task, uint64_t tsc)
{
    struct latency *latency = context;
    const struct open_call *call = open_calls_top(task);
    if (call->user >= FIRST)
        measured_add(&latency->functions[call->user - FIRST].measured, &latency->measure, task, call, tsc,
                     is_nested(task, task->depth - 1));
}

static void on_leave(void *context, struct open_task *task, uint64_t tsc)
{
    struct latency *latency = context;
    (void)tsc;
    for (size_t depth = 0; depth < task->depth; depth++) {
        const struct open_call *call = &task->calls[depth];
        if (call->user >= FIRST)
            measured_leave(&latency->functions[call->user - FIRST].measured, &latency->measure, task, call,
                           is_nested(task, depth));
    }
}

static int by_address(const void *left, const void *right)
{
    const struct latency_function *a = left, *b = right;
    return a->name->begin < b->name->begin ? -1 : a->name->begin > b->name->begin;
}

/* Keep those with calls in the window: which others were called before depends on where the pass began. */
static void drop_others(struct latency *latency)
{
    size_t kept = 0;
    for (size_t i = 0; i < latency->count; i++) {
        if (latency->functions[i].measured.begun)
            latency->functions[kept++] = latency->functions[i];
        else
            measured_free(&latency->functions[i].measured);
    }
    latency->count = kept;
}

bool latency_collect(struct latency *latency, struct calls_run *run, struct error *error)
{
    const struct open_hooks hooks = {.begins = on_begin, .returns = on_return, .leaves = on_leave, .context = latency};
    latency->classes = (struct name_classes){.classify = compare, .context = latency};
    bool good = open_calls_decode(&hooks, run, latency->measure.from, error);
    if (good && latency->no_memory)
        good = error_set(error, ERROR_MEMORY, 0, "the functions' times");
    drop_others(latency);
    if (latency->functions)
        qsort(latency->functions, latency->count, sizeof(*latency->functions), by_address);
    return good;
}

void latency_free(struct latency *latency)
{
    for (size_t i = 0; i < latency->count; i++)
        measured_free(&latency->functions[i].measured);
    free(latency->functions);
    name_classes_free(&latency->classes);
}
