#include "decode/stack/stacks_run.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "decode/flow/flow_trace.h"
#include "decode/stack/stack_queue.h"

/* A CPU: a thread of its own decodes (by more threads), and puts what it finds into the queue. */
struct run_cpu {
    uint16_t cpu;
    struct flow_trace trace;
    struct flow_run_options options;
    struct flow_run run;
    struct stack_queue queue;
    struct stacks *stacks;
    pthread_t thread;
    bool started, good, more;
    struct stack_queue_entry entry; /* the next one; more: there is one */
    uint64_t tsc;                   /* of it: time never goes back */
    struct error error;
};

struct run {
    struct run_cpu *cpus;
    unsigned nr_cpus;
};

static void *decode(void *argument)
{
    struct run_cpu *cpu = argument;
    cpu->good = flow_run_trace(&cpu->run, &cpu->trace, &cpu->options, &cpu->error);
    stack_queue_end(&cpu->queue);
    return NULL;
}

static void take_next(struct run_cpu *cpu)
{
    cpu->more = stack_queue_take(&cpu->queue, &cpu->entry);
    if (cpu->more && cpu->entry.transfers.tsc > cpu->tsc)
        cpu->tsc = cpu->entry.transfers.tsc;
}

static void take_all(struct run *run)
{
    for (unsigned i = 0; i < run->nr_cpus; i++)
        take_next(&run->cpus[i]);
    for (;;) {
        struct run_cpu *first = NULL;
        for (unsigned i = 0; i < run->nr_cpus; i++)
            if (run->cpus[i].more && (!first || run->cpus[i].tsc < first->tsc))
                first = &run->cpus[i];
        if (!first)
            return;
        stack_queue_give(&first->entry, first->stacks);
        take_next(first);
    }
}

/* Behind where the first stretch begins that is not before a time; 0: all are. */
static uint64_t end_at(const struct flow_trace *trace, uint64_t until)
{
    struct flow_cursor cursor;
    enum flow_found found;
    flow_trace_cursor(&cursor, trace, flow_part(trace->input.trace_size, 0, 0));
    while ((found = flow_cursor_next(&cursor)) != FLOW_FOUND_NOTHING)
        if (found == FLOW_FOUND_STRETCH && cursor.stretch.tsc >= until)
            return cursor.stretch.begin + 1;
    return 0;
}

static bool open_cpu(struct run *run, const struct capture *capture, uint16_t number, struct names *names,
                     const struct stack_hooks *hooks, struct error *error)
{
    struct run_cpu *cpu = &run->cpus[run->nr_cpus++];
    cpu->cpu = number;
    stack_queue_init(&cpu->queue);
    if (!flow_trace_open_uncut(&cpu->trace, capture, number, error))
        return false;
    cpu->trace.input.timed = cpu->trace.input.placed = true;
    cpu->stacks = stacks_open(names, &cpu->trace.pages, hooks);
    if (!cpu->stacks)
        return error_set(error, ERROR_MEMORY, 0, "call stacks");
    if (run->nr_cpus > 1)
        stacks_share(cpu->stacks, run->cpus[0].stacks);
    return true;
}

static bool start(struct run *run, const struct stacks_run_options *options, struct error *error)
{
    const unsigned wanted = options->threads ? options->threads : (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
    for (unsigned i = 0; i < run->nr_cpus; i++) {
        struct run_cpu *cpu = &run->cpus[i];
        cpu->options = (struct flow_run_options){
            .cpu = cpu->cpu,
            .threads = wanted > run->nr_cpus ? wanted / run->nr_cpus : 1,
            .hooks = {.transfers = stack_queue_transfers, .result = stack_queue_result, .context = &cpu->queue},
            .to = options->until ? end_at(&cpu->trace, options->until) : 0,
            .sums_only = true,
            .progress = i == 0 ? options->progress : NULL,
            .progress_context = options->progress_context};
        cpu->started = pthread_create(&cpu->thread, NULL, decode, cpu) == 0;
        if (!cpu->started) {
            stack_queue_end(&cpu->queue);
            return error_set(error, ERROR_MEMORY, 0, "a thread");
        }
    }
    return true;
}

static bool finish(struct run *run, stacks_run_decoded *decoded, void *context, struct error *error)
{
    bool good = true;
    for (unsigned i = 0; i < run->nr_cpus; i++) {
        struct run_cpu *cpu = &run->cpus[i];
        if (cpu->started)
            pthread_join(cpu->thread, NULL);
        if (good && cpu->started && !cpu->good) {
            *error = cpu->error;
            good = false;
        }
        if (good && (!stacks_end(cpu->stacks) || cpu->queue.no_memory))
            good = error_set(error, ERROR_MEMORY, 0, "call stacks");
        if (good && decoded)
            decoded(context, cpu->cpu, &cpu->run);
    }
    return good;
}

static void close_all(struct run *run)
{
    for (unsigned i = 0; i < run->nr_cpus; i++) {
        struct run_cpu *cpu = &run->cpus[i];
        stack_queue_free(&cpu->queue);
        flow_run_free(&cpu->run);
        flow_trace_close(&cpu->trace);
    }
    for (unsigned i = run->nr_cpus; i-- > 0;)
        if (run->cpus[i].stacks)
            stacks_close(run->cpus[i].stacks);
    free(run->cpus);
}

static bool open_all(struct run *run, const struct capture *capture, struct names *names,
                     const struct stacks_run_options *options, stacks_run_hooks *hooks, void *context,
                     struct error *error)
{
    for (unsigned cpu = 0; cpu < capture->nr_cpus; cpu++) {
        if (!capture->cpus[cpu].present || (options->one_cpu && options->cpu != cpu))
            continue;
        const struct stack_hooks of_cpu = hooks(context, (uint16_t)cpu);
        if (!open_cpu(run, capture, (uint16_t)cpu, names, &of_cpu, error))
            return false;
    }
    return true;
}

bool stacks_run(const struct capture *capture, struct names *names, const struct stacks_run_options *options,
                stacks_run_hooks *hooks, stacks_run_decoded *decoded, void *context, struct error *error)
{
    struct run run = {.cpus = calloc(CAPTURE_MAX_CPUS, sizeof(*run.cpus))};
    if (!run.cpus)
        return error_set(error, ERROR_MEMORY, 0, "call stacks");
    bool good = open_all(&run, capture, names, options, hooks, context, error);
    if (good) {
        good = start(&run, options, error);
        /* Also where a thread is missing: those that run wait for room in their queues. */
        take_all(&run);
        good = finish(&run, decoded, context, error) && good;
    }
    close_all(&run);
    return good;
}
