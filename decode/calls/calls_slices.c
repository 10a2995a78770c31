/* Slices of one pass, and on request the call tree of the same pass: both get each event. */
#include <stdlib.h>

#include "decode/calls/calls_run.h"

struct both_cpu {
    struct slices_cpu slices_cpu;
    struct profile_cpu profile_cpu;
    struct stack_hooks slices, profile;
};

struct listener {
    struct slices *slices;
    struct profile *totals;
    struct both_cpu cpus[CAPTURE_MAX_CPUS];
    unsigned nr_cpus;
};

static void enter(void *context, struct stack_task *task, uint64_t tsc)
{
    const struct both_cpu *cpu = context;
    cpu->slices.enter(cpu->slices.context, task, tsc);
    cpu->profile.enter(cpu->profile.context, task, tsc);
}

static void leave(void *context, struct stack_task *task, uint64_t tsc)
{
    const struct both_cpu *cpu = context;
    cpu->slices.leave(cpu->slices.context, task, tsc);
    cpu->profile.leave(cpu->profile.context, task, tsc);
}

static void spend(void *context, struct stack_task *task, uint64_t branches, uint64_t tsc)
{
    const struct both_cpu *cpu = context;
    cpu->slices.spend(cpu->slices.context, task, branches, tsc);
    cpu->profile.spend(cpu->profile.context, task, branches, tsc);
}

static void run(void *context, struct stack_task *task, uint64_t tsc)
{
    const struct both_cpu *cpu = context;
    cpu->slices.run(cpu->slices.context, task, tsc);
    cpu->profile.run(cpu->profile.context, task, tsc);
}

static void lost(void *context, uint64_t tsc)
{
    const struct both_cpu *cpu = context;
    cpu->slices.lost(cpu->slices.context, tsc);
    cpu->profile.lost(cpu->profile.context, tsc);
}

static void end_task(void *context, struct stack_task *task, uint64_t tsc)
{
    const struct both_cpu *cpu = context;
    cpu->slices.end(cpu->slices.context, task, tsc);
    cpu->profile.end(cpu->profile.context, task, tsc);
}

static void skip(void *context, uint64_t tsc)
{
    const struct both_cpu *cpu = context;
    cpu->profile.skip(cpu->profile.context, tsc);
}

static struct stack_hooks begin_cpu(void *context, uint16_t number)
{
    struct listener *listener = context;
    struct both_cpu *cpu = &listener->cpus[listener->nr_cpus++];
    cpu->slices = slices_hooks(&cpu->slices_cpu, listener->slices, number);
    if (!listener->totals)
        return cpu->slices;
    cpu->profile = profile_hooks(&cpu->profile_cpu, listener->totals);
    return (struct stack_hooks){enter, leave, spend, run, lost, cpu, end_task, skip, NULL};
}

static void end(void *context)
{
    struct listener *listener = context;
    for (unsigned i = 0; i < listener->nr_cpus; i++)
        slices_end_cpu(&listener->cpus[i].slices_cpu);
    slices_end(listener->slices);
}

bool slices_collect(struct calls_run *run, struct slices *slices, struct profile *totals, struct error *error)
{
    struct listener *own = calloc(1, sizeof(*own));
    if (!own)
        return error_set(error, ERROR_MEMORY, 0, "calls");
    own->slices = slices;
    own->totals = totals;
    const struct calls_listener listener = {.begin = begin_cpu, .end = end, .context = own};
    const bool good = calls_collect(run, &listener, error);
    free(own);
    return good &&
           (!(slices->no_memory || (totals && totals->no_memory)) || error_set(error, ERROR_MEMORY, 0, "calls"));
}
