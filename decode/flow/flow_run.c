#include "decode/flow/flow_run.h"

#include <stdlib.h>

#include "decode/capture/monotonic.h"
#include "decode/flow/flow_trace.h"
#include "decode/flow/flow_work.h"

void flow_run_add(struct flow_run *run, const struct flow_result *result)
{
    run->stretches++;
    run->branches += result->branches;
    run->instructions += result->instructions;
    run->root_instructions += result->root_instructions;
    run->blocks += result->blocks;
    run->packets += result->packets;
    run->overflows += result->overflows;
    if (result->error)
        flow_gaps_add(&run->decode_gaps, result->error, result->end - result->error_offset);
}

void flow_run_sum(struct flow_run *run)
{
    for (size_t i = 0; i < run->nr_results; i++)
        flow_run_add(run, &run->results[i]);
    for (size_t i = 0; i < run->lost.count; i++)
        flow_gaps_add(&run->decode_gaps, FLOW_ERROR_NO_PSB, run->lost.spans[i].end - run->lost.spans[i].begin);
}

bool flow_run_trace(struct flow_run *run, struct flow_trace *trace, const struct flow_run_options *options,
                    struct error *error)
{
    const double start = monotonic_seconds();
    *run = (struct flow_run){0};
    trace->input.hashed = options->hashed;
    const bool good = flow_work(run, trace, options, error);
    run->gaps = trace->gaps;
    trace->gaps = (struct gaps){0};
    run->seconds = monotonic_seconds() - start;
    return good;
}

bool flow_run(struct flow_run *run, const struct capture *capture, const struct flow_run_options *options,
              struct error *error)
{
    const double start = monotonic_seconds();
    struct flow_trace trace;
    *run = (struct flow_run){0};
    const bool good =
        flow_trace_open_uncut(&trace, capture, options->cpu, error) && flow_run_trace(run, &trace, options, error);
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
