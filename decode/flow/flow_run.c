#include "decode/flow/flow_run.h"

#include <stdlib.h>
#include <unistd.h>

#include "decode/capture/monotonic.h"
#include "decode/flow/flow_trace.h"
#include "decode/flow/flow_work.h"

void flow_run_sum(struct flow_run *run)
{
    for (size_t i = 0; i < run->nr_results; i++) {
        const struct flow_result *result = &run->results[i];
        run->branches += result->branches;
        run->instructions += result->instructions;
        run->root_instructions += result->root_instructions;
        run->blocks += result->blocks;
        run->packets += result->packets;
        run->overflows += result->overflows;
        if (result->error)
            flow_gaps_add(&run->decode_gaps, result->error, result->end - result->error_offset);
    }
    for (size_t i = 0; i < run->lost.count; i++)
        flow_gaps_add(&run->decode_gaps, FLOW_ERROR_NO_PSB, run->lost.spans[i].end - run->lost.spans[i].begin);
}

static bool decode_trace(struct flow_run *run, const struct flow_trace *trace, const struct flow_run_options *options,
                         struct error *error)
{
    struct flow_work work = {
        .input = &trace->input,
        .stretches = trace->stretches,
        .count = trace->nr_stretches,
        .threads = options->threads ? options->threads : (unsigned)sysconf(_SC_NPROCESSORS_ONLN),
        .hooks = options->hooks,
        .count_targets = options->count_targets,
        .progress = options->progress,
        .progress_context = options->progress_context,
    };
    if (trace->nr_stretches == 0)
        return true;
    run->results = work.results = calloc(trace->nr_stretches, sizeof(*run->results));
    if (!run->results)
        return error_set(error, ERROR_MEMORY, 0, "%zu stretches", trace->nr_stretches);
    run->nr_results = trace->nr_stretches;
    bool good = flow_work(&work, error);
    run->targets = work.targets;
    run->inferred = work.inferred;
    return good;
}

bool flow_run(struct flow_run *run, const struct capture *capture, const struct flow_run_options *options,
              struct error *error)
{
    double start = monotonic_seconds();
    struct flow_trace trace;
    *run = (struct flow_run){0};
    bool good = flow_trace_open_part(&trace, capture, options->cpu, options->part, options->nr_parts, error);
    trace.input.hashed = options->hashed;
    good = good && decode_trace(run, &trace, options, error);
    run->gaps = trace.gaps;
    trace.gaps = (struct gaps){0};
    run->lost = trace.lost;
    trace.lost = (struct flow_lost){0};
    flow_run_sum(run);
    flow_trace_close(&trace);
    run->seconds = monotonic_seconds() - start;
    return good;
}

void flow_run_free(struct flow_run *run)
{
    free(run->results);
    gaps_free(&run->gaps);
    flow_lost_free(&run->lost);
    hot_free(&run->targets);
    hot_free(&run->inferred);
    *run = (struct flow_run){0};
}
