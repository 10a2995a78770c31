#include "decode/export/perf_samples.h"

#include <stdlib.h>

#include "decode/capture/list.h"

#define MOST_CHAIN 1000u /* frames: with more, a record would exceed 64 KiB */
#define FIRST_FREE_TID 0x100000u

/* Markers in a call chain: the following addresses are the kernel's, or the user's. perf_event.h. */
#define CONTEXT_KERNEL ((uint64_t)-128)
#define CONTEXT_USER ((uint64_t)-512)

struct sampler {
    struct perf_samples *samples;
    struct profile_cpu profile_cpu;
    struct stack_hooks profile;
    uint16_t cpu;
    uint64_t tsc, held; /* held: units since the last sample */
};

struct listener {
    struct perf_samples *samples;
    struct sampler cpus[CAPTURE_MAX_CPUS];
    unsigned nr_cpus;
};

/* The first thread of a process has the process's number. */
static uint32_t tid_of(struct perf_samples *samples, const struct stack_task *task, uint32_t process)
{
    bool first = true;
    for (size_t i = samples->nr_threads; i-- > 0;) {
        struct perf_thread *thread = &samples->threads[i];
        if (thread->task == task->number && thread->process == process) {
            thread->thread = task->thread;
            return thread->tid;
        }
        first = first && thread->process != process;
    }
    void *items = samples->threads;
    struct perf_thread *thread = list_add(&items, &samples->nr_threads, &samples->threads_room, sizeof(*thread));
    samples->threads = items;
    if (!thread) {
        samples->code.no_memory = true;
        return process;
    }
    *thread = (struct perf_thread){.task = task->number,
                                   .process = process,
                                   .tid = first ? process : FIRST_FREE_TID + (uint32_t)samples->nr_threads,
                                   .thread = task->thread};
    return thread->tid;
}

/* Where a frame called the one above it: the CALL, if that is in the function. Within the top frame the position is
 * unknown: its first instruction is used. */
static uint64_t address_in(const struct stack_task *task, size_t frame)
{
    const struct name *name = task->frames[frame].name;
    const uint64_t site = frame + 1 < task->depth ? task->frames[frame + 1].site : 0;
    return site >= name->begin && site < name->end ? site : name->begin;
}

/* Fill in the chain, innermost first, with perf's markers between kernel and user. Returns its length. */
static size_t find_chain(uint64_t chain[2 * MOST_CHAIN], const struct stack_task *task)
{
    uint64_t context = 0;
    size_t count = 0;
    for (size_t i = task->depth; i-- > 0 && task->depth - i <= MOST_CHAIN;) {
        const uint64_t address = address_in(task, i), here = address >> 63 ? CONTEXT_KERNEL : CONTEXT_USER;
        if (here != context)
            chain[count++] = context = here;
        chain[count++] = address;
    }
    return count;
}

static void take_code(struct perf_samples *samples, const struct stack_task *task, uint64_t time)
{
    const struct perf_place place = {
        .process = (uint32_t)task->user, .cr3 = task->space, .at = task->at, .time = time, .pages = task->pages};
    for (size_t i = task->depth; i-- > 0 && task->depth - i <= MOST_CHAIN;)
        perf_code_take(&samples->code, &place, address_in(task, i), task->frames[i].name);
}

static void write_sample(const struct sampler *sampler, const struct stack_task *task, uint64_t period)
{
    struct perf_samples *samples = sampler->samples;
    FILE *file = samples->file;
    uint64_t chain[2 * MOST_CHAIN];
    const size_t count = find_chain(chain, task);
    const uint64_t time = calls_nanoseconds(&samples->run->clock, sampler->tsc), ip = chain[1];
    const uint32_t process = (uint32_t)task->user, tid = tid_of(samples, task, process);
    take_code(samples, task, time);
    perf_data_header(file, PERF_DATA_SAMPLE, ip >> 63 ? PERF_DATA_KERNEL : PERF_DATA_USER, 48 + 8 * count);
    perf_data_put64(file, ip);
    perf_data_put32(file, process);
    perf_data_put32(file, tid);
    perf_data_put64(file, time);
    perf_data_put64(file, sampler->cpu);
    perf_data_put64(file, period);
    perf_data_put64(file, count);
    fwrite(chain, sizeof(chain[0]), count, file);
    samples->count++;
}

static void enter(void *context, struct stack_task *task, uint64_t tsc)
{
    const struct sampler *sampler = context;
    sampler->profile.enter(sampler->profile.context, task, tsc);
}

static void leave(void *context, struct stack_task *task, uint64_t tsc)
{
    const struct sampler *sampler = context;
    sampler->profile.leave(sampler->profile.context, task, tsc);
}

static void run(void *context, struct stack_task *task, uint64_t tsc)
{
    const struct sampler *sampler = context;
    sampler->profile.run(sampler->profile.context, task, tsc);
}

static void lost(void *context, uint64_t tsc)
{
    const struct sampler *sampler = context;
    sampler->profile.lost(sampler->profile.context, tsc);
}

static void end_task(void *context, struct stack_task *task, uint64_t tsc)
{
    const struct sampler *sampler = context;
    sampler->profile.end(sampler->profile.context, task, tsc);
}

static uint64_t period_of(const struct perf_samples *samples, uint64_t held)
{
    return samples->unit == EXPORT_TICKS ? calls_nanoseconds(&samples->run->clock, samples->run->clock.zero + held)
                                         : held;
}

static void spend(void *context, struct stack_task *task, uint64_t branches, uint64_t tsc)
{
    struct sampler *sampler = context;
    struct perf_samples *samples = sampler->samples;
    const bool known = task && task->depth > 0 && task->user && !sampler->profile_cpu.lost;
    const uint64_t ticks = sampler->tsc && tsc > sampler->tsc ? tsc - sampler->tsc : 0;
    const uint64_t spent = samples->unit == EXPORT_TICKS ? ticks : branches;
    sampler->profile.spend(sampler->profile.context, task, branches, tsc);
    sampler->tsc = tsc;
    if (!known) {
        samples->lost += spent;
        return;
    }
    sampler->held += spent;
    if (sampler->held < samples->every)
        return;
    write_sample(sampler, task, period_of(samples, sampler->held));
    sampler->held = 0;
}

static void skip(void *context, uint64_t tsc)
{
    struct sampler *sampler = context;
    sampler->profile.skip(sampler->profile.context, tsc);
    sampler->tsc = tsc;
}

static struct stack_hooks begin_cpu(void *context, uint16_t cpu)
{
    struct listener *listener = context;
    struct sampler *sampler = &listener->cpus[listener->nr_cpus++];
    sampler->samples = listener->samples;
    sampler->cpu = cpu;
    sampler->profile = profile_hooks(&sampler->profile_cpu, &listener->samples->profile);
    return (struct stack_hooks){enter, leave, spend, run, lost, sampler, end_task, skip, NULL};
}

static void end(void *context)
{
    (void)context;
}

bool perf_samples_take(struct perf_samples *samples, struct error *error)
{
    struct listener *own = calloc(1, sizeof(*own));
    perf_code_open(&samples->code, samples->run->names);
    if (!own || !profile_init(&samples->profile, samples->run->names)) {
        free(own);
        return error_set(error, ERROR_MEMORY, 0, "samples");
    }
    own->samples = samples;
    const struct calls_listener listener = {.begin = begin_cpu, .end = end, .context = own};
    const bool good = calls_collect(samples->run, &listener, error);
    free(own);
    return good && ((!samples->profile.no_memory && perf_code_end(&samples->code)) ||
                    error_set(error, ERROR_MEMORY, 0, "samples"));
}

void perf_samples_free(struct perf_samples *samples)
{
    perf_code_free(&samples->code);
    profile_free(&samples->profile);
    free(samples->threads);
}
