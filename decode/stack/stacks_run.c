#include "decode/stack/stacks_run.h"

#include <stdlib.h>

#include "decode/flow/flow_trace.h"
#include "decode/flow/stream.h"

struct run_cpu {
    uint16_t cpu;
    struct flow_trace trace;
    struct flow_run run;
    struct stacks *stacks;
};

struct run {
    struct run_cpu *cpus;
    struct stream_part *parts; /* of each */
    unsigned nr_cpus;
    bool no_memory;
};

/* The offset after the beginning of the first stretch that is not before a time; UINT64_MAX: all are. */
static uint64_t end_at(const struct flow_trace *trace, uint64_t until)
{
    struct flow_cursor cursor;
    enum flow_found found;
    flow_trace_cursor(&cursor, trace, flow_part(trace->input.trace_size, 0, 0));
    while ((found = flow_cursor_next(&cursor)) != FLOW_FOUND_NOTHING)
        if (found == FLOW_FOUND_STRETCH && cursor.stretch.tsc >= until)
            return cursor.stretch.begin + 1;
    return UINT64_MAX;
}

static bool open_cpu(struct run *run, const struct capture *capture, uint16_t number, struct names *names,
                     const struct stacks_run_options *options, const struct stack_hooks *hooks, struct error *error)
{
    struct stream_part *part = &run->parts[run->nr_cpus];
    struct run_cpu *cpu = &run->cpus[run->nr_cpus++];
    cpu->cpu = number;
    if (!flow_trace_open_uncut(&cpu->trace, capture, number, error))
        return false;
    *part = (struct stream_part){.trace = &cpu->trace,
                                 .part = {0, options->until ? end_at(&cpu->trace, options->until) : UINT64_MAX}};
    cpu->stacks = stacks_open(names, &cpu->trace.pages, hooks);
    if (!cpu->stacks)
        return error_set(error, ERROR_MEMORY, 0, "call stacks");
    if (run->nr_cpus > 1)
        stacks_share(cpu->stacks, run->cpus[0].stacks);
    else if (options->one_cpu && capture->nr_cpus > 1)
        stacks_of_one_cpu(cpu->stacks);
    return true;
}

static bool open_all(struct run *run, const struct capture *capture, struct names *names,
                     const struct stacks_run_options *options, stacks_run_hooks *hooks, void *context,
                     struct error *error)
{
    for (unsigned cpu = 0; cpu < capture->nr_cpus; cpu++) {
        if (!capture->cpus[cpu].present || (options->one_cpu && options->cpu != cpu))
            continue;
        const struct stack_hooks of_cpu = hooks(context, (uint16_t)cpu);
        if (!open_cpu(run, capture, (uint16_t)cpu, names, options, &of_cpu, error))
            return false;
    }
    return true;
}

static bool take_all(struct run *run, const struct stacks_run_options *options, struct error *error)
{
    const struct stream_options how = {.needs = STACKS_NEEDS | FLOW_NEED_TIME | options->needs,
                                       .threads = options->threads,
                                       .by_time = true,
                                       .progress = options->progress,
                                       .progress_context = options->progress_context};
    const struct stream_item *item;
    struct stream *stream = stream_open(run->parts, run->nr_cpus, &how, error);
    if (!stream)
        return false;
    while ((item = stream_next(stream))) {
        struct run_cpu *cpu = &run->cpus[item->part];
        run->no_memory |= !flow_run_take(&cpu->run, item->batch, !options->keep_results);
        stacks_take(cpu->stacks, item->batch);
    }
    const bool good = stream_good(stream, error);
    stream_stop(stream);
    for (unsigned i = 0; i < run->nr_cpus; i++)
        stream_inferred(stream, i, &run->cpus[i].run.inferred);
    stream_close(stream);
    return good;
}

static bool finish(struct run *run, stacks_run_decoded *decoded, void *context, struct error *error)
{
    bool good = !run->no_memory;
    for (unsigned i = 0; i < run->nr_cpus; i++)
        good = stacks_end(run->cpus[i].stacks) && good;
    if (!good)
        return error_set(error, ERROR_MEMORY, 0, "call stacks");
    for (unsigned i = 0; i < run->nr_cpus && decoded; i++) {
        struct run_cpu *cpu = &run->cpus[i];
        cpu->run.gaps = cpu->trace.gaps;
        cpu->trace.gaps = (struct gaps){0};
        decoded(context, cpu->cpu, &cpu->run);
    }
    return true;
}

static void close_all(struct run *run)
{
    for (unsigned i = 0; i < run->nr_cpus; i++) {
        flow_run_free(&run->cpus[i].run);
        flow_trace_close(&run->cpus[i].trace);
    }
    for (unsigned i = run->nr_cpus; i-- > 0;)
        if (run->cpus[i].stacks)
            stacks_close(run->cpus[i].stacks);
    free(run->cpus);
    free(run->parts);
}

bool stacks_run(const struct capture *capture, struct names *names, const struct stacks_run_options *options,
                stacks_run_hooks *hooks, stacks_run_decoded *decoded, void *context, struct error *error)
{
    struct run run = {.cpus = calloc(CAPTURE_MAX_CPUS, sizeof(*run.cpus)),
                      .parts = calloc(CAPTURE_MAX_CPUS, sizeof(*run.parts))};
    bool good = (run.cpus && run.parts) || error_set(error, ERROR_MEMORY, 0, "call stacks");
    good = good && open_all(&run, capture, names, options, hooks, context, error) && take_all(&run, options, error) &&
           finish(&run, decoded, context, error);
    close_all(&run);
    return good;
}
