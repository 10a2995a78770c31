#include "decode/flow/flow_merge.h"

#include <stdlib.h>

#include "decode/flow/flow_trace.h"

struct merge_branch {
    uint64_t tsc, from, to;
};

/* A CPU, and those branches of its last decoded stretch that are not yet handed on. */
struct merge_cpu {
    uint16_t cpu;
    struct flow_trace trace;
    struct flow *flow;
    size_t next_stretch;
    uint64_t passed; /* flow_trace_pass */
    struct merge_branch *branches;
    size_t count, room, at;
    uint64_t tsc; /* of the last branch: time never goes back */
    bool no_memory;
};

struct merge {
    struct merge_cpu *cpus;
    unsigned nr_cpus;
    struct flow_merged *merged;
    flow_merge_take *take;
    void *context;
};

static bool make_room(struct merge_cpu *cpu, size_t count)
{
    size_t room = cpu->room ? cpu->room : 65536;
    while (room < cpu->count + count)
        room *= 2;
    if (room == cpu->room)
        return true;
    struct merge_branch *more = realloc(cpu->branches, room * sizeof(*more));
    if (!more)
        return false;
    cpu->branches = more;
    cpu->room = room;
    return true;
}

static void keep_branches(void *context, const struct flow_branch *branches, size_t count, uint64_t tsc)
{
    struct merge_cpu *cpu = context;
    if (!make_room(cpu, count)) {
        cpu->no_memory = true;
        return;
    }
    if (tsc > cpu->tsc)
        cpu->tsc = tsc;
    for (size_t i = 0; i < count; i++)
        cpu->branches[cpu->count++] = (struct merge_branch){cpu->tsc, branches[i].from, branches[i].to};
}

/* Decode on until the CPU has a branch to hand on, or its trace is at its end. */
static bool refill(struct merge *merge, struct merge_cpu *cpu, struct error *error)
{
    while (cpu->at == cpu->count && cpu->next_stretch < cpu->trace.nr_stretches) {
        struct flow_result result;
        cpu->at = cpu->count = 0;
        flow_decode(cpu->flow, &cpu->trace.stretches[cpu->next_stretch++], &result);
        merge->merged->errors[cpu->cpu] += result.error != FLOW_OK;
        flow_trace_pass(&cpu->trace, &cpu->passed, result.end);
    }
    return !cpu->no_memory || error_set(error, ERROR_MEMORY, 0, "the branches of a stretch");
}

/* The CPU whose next branch is the earliest. NULL: there are no more. *until: the next time of any other one. */
static struct merge_cpu *earliest(struct merge *merge, uint64_t *until)
{
    struct merge_cpu *first = NULL;
    *until = UINT64_MAX;
    for (unsigned i = 0; i < merge->nr_cpus; i++) {
        struct merge_cpu *cpu = &merge->cpus[i];
        if (cpu->at == cpu->count)
            continue;
        uint64_t tsc = cpu->branches[cpu->at].tsc;
        if (!first || tsc < first->branches[first->at].tsc) {
            if (first)
                *until = first->branches[first->at].tsc;
            first = cpu;
        } else if (tsc < *until) {
            *until = tsc;
        }
    }
    return first;
}

static bool merge_all(struct merge *merge, struct error *error)
{
    struct merge_cpu *cpu;
    uint64_t until;
    for (unsigned i = 0; i < merge->nr_cpus; i++)
        if (!refill(merge, &merge->cpus[i], error))
            return false;
    while ((cpu = earliest(merge, &until))) {
        for (; cpu->at < cpu->count && cpu->branches[cpu->at].tsc <= until; cpu->at++) {
            const struct merge_branch *branch = &cpu->branches[cpu->at];
            merge->merged->branches[cpu->cpu]++;
            merge->merged->untimed[cpu->cpu] += branch->tsc == 0;
            merge->take(merge->context, cpu->cpu, branch->tsc, branch->from, branch->to);
        }
        if (!refill(merge, cpu, error))
            return false;
    }
    return true;
}

static bool open_cpu(struct merge_cpu *cpu, const struct capture *capture, uint16_t number, uint64_t *errors,
                     struct error *error)
{
    cpu->cpu = number;
    if (!flow_trace_open(&cpu->trace, capture, number, error))
        return false;
    cpu->trace.input.timed = true;
    *errors += cpu->trace.lost.count;
    if (cpu->trace.nr_stretches == 0)
        return true;
    const struct flow_hooks hooks = {.branches = keep_branches, .context = cpu};
    cpu->flow = flow_start(&cpu->trace.input, &hooks, error);
    return cpu->flow != NULL;
}

bool flow_merge(struct flow_merged *merged, const struct capture *capture, flow_merge_take *take, void *context,
                struct error *error)
{
    struct merge merge = {calloc(capture->nr_cpus + 1, sizeof(*merge.cpus)), 0, merged, take, context};
    *merged = (struct flow_merged){{0}, {0}, {0}};
    if (!merge.cpus)
        return error_set(error, ERROR_MEMORY, 0, "%u CPUs", capture->nr_cpus);
    bool good = true;
    for (unsigned cpu = 0; cpu < capture->nr_cpus && good; cpu++)
        if (capture->cpus[cpu].present)
            good = open_cpu(&merge.cpus[merge.nr_cpus++], capture, (uint16_t)cpu, &merged->errors[cpu], error);
    good = good && merge_all(&merge, error);
    for (unsigned i = 0; i < merge.nr_cpus; i++) {
        if (merge.cpus[i].flow)
            flow_end(merge.cpus[i].flow);
        flow_trace_close(&merge.cpus[i].trace);
        free(merge.cpus[i].branches);
    }
    free(merge.cpus);
    return good;
}
