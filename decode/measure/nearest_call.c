#include "decode/measure/nearest_call.h"

#include <string.h>

#define OTHER 1u
#define WANTED 2u

static uint32_t classify(void *context, const struct name *name)
{
    const struct nearest_call *call = context;
    return call->matches(call->context, name) ? WANTED : OTHER;
}

static int compare(const struct call_place *a, const struct call_place *b)
{
    if (a->tsc != b->tsc)
        return a->tsc < b->tsc ? -1 : 1;
    if (a->cpu != b->cpu)
        return a->cpu < b->cpu ? -1 : 1;
    return a->nth < b->nth ? -1 : a->nth > b->nth;
}

/* Is it on the wanted side, and nearer than the nearest one so far? */
static bool is_nearer(const struct nearest_call *call, const struct call_place *place)
{
    const int side = call->before ? -1 : 1;
    return compare(place, &call->than) * side > 0 && (!call->name || compare(place, &call->place) * side < 0);
}

void nearest_call_begins(void *context, struct open_task *task, uint64_t tsc)
{
    struct nearest_call *call = context;
    const struct name *name = open_calls_top(task)->name;
    if (name_class(&call->classes, name) != WANTED)
        return;
    if (call->cpus[task->cpu].tsc != tsc)
        call->cpus[task->cpu].count = 0;
    call->cpus[task->cpu].tsc = tsc;
    const struct call_place place = {tsc, task->cpu, call->cpus[task->cpu].count++};
    if (!is_nearer(call, &place))
        return;
    call->name = name;
    call->place = place;
}

bool nearest_call_search(struct nearest_call *call, struct calls_run *run, uint64_t from, uint64_t to,
                         struct error *error)
{
    const struct open_hooks hooks = {.begins = nearest_call_begins, .context = call};
    call->classes = (struct name_classes){.classify = classify, .context = call};
    memset(call->cpus, 0, sizeof(call->cpus));
    run->window.to = to < UINT64_MAX ? to + 1 : to;
    const bool good = open_calls_decode(&hooks, run, from, error);
    name_classes_free(&call->classes);
    return good;
}
