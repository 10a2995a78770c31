#include "decode/flow/flow_run.h"

#include <stdlib.h>

#include "decode/capture/monotonic.h"
#include "decode/flow/flow_trace.h"
#include "decode/flow/flow_work.h"

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
