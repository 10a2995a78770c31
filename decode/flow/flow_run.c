#include "decode/flow/flow_run.h"

#include <stdlib.h>

#include "decode/capture/monotonic.h"
#include "decode/flow/workers.h"
#include "decode/truth.h"

/* In the worker threads. Executed for each branch of the trace, so the batch's members are read once: the compiler
 * cannot know that hot_add does not change them. */
static void count_targets(void *context, unsigned worker, const struct flow_batch *batch)
{
    struct hot *targets = &((const struct flow_pull *)context)->targets[worker];
    const size_t count = batch->kind == FLOW_BATCH_ITEMS ? batch->count : 0;
    const union flow_item *items = batch->items;
    const uint8_t *tags = batch->tags;
    for (size_t i = 0; i < count; i++)
        if ((!tags || flow_tag_is_branch(tags[i])) && items[i].branch.to != TRUTH_TO_UNRESOLVED)
            hot_add(targets, items[i].branch.to, 1);
}

static size_t format(void *context, unsigned list, char *text, const struct flow_batch *batch)
{
    const struct flow_run_options *options = &((const struct flow_pull *)context)->options;
    return options->format(options->context, list, text, batch);
}

bool flow_pull_open(struct flow_pull *pull, struct flow_run *run, struct flow_trace *trace,
                    const struct flow_run_options *options, struct error *error)
{
    const bool counts = options->count_targets;
    *run = (struct flow_run){0};
    *pull = (struct flow_pull){.run = run,
                               .trace = trace,
                               .options = *options,
                               .nr_workers = workers_count(options->threads),
                               .start = monotonic_seconds()};
    pull->targets = counts ? calloc(pull->nr_workers + 1, sizeof(*pull->targets)) : NULL;
    if (counts && !pull->targets)
        return error_set(error, ERROR_MEMORY, 0, "branch targets");
    const struct stream_options how = {
        .needs = options->needs | (counts ? FLOW_NEED_BRANCHES : 0),
        .threads = options->threads,
        .observe = counts ? count_targets : NULL,
        .format = options->format ? format : NULL,
        .nr_lists = options->nr_lists,
        .context = pull,
        .progress = options->progress,
        .progress_context = options->progress_context,
    };
    struct stream_part part = {.trace = trace,
                               .part = flow_part(trace->input.trace_size, options->part, options->nr_parts)};
    if (options->part == 0)
        part.part = (struct flow_part){options->from, options->to ? options->to : UINT64_MAX};
    pull->stream = stream_open(&part, 1, &how, error);
    if (!pull->stream)
        free(pull->targets);
    return pull->stream;
}

const struct flow_batch *flow_pull_next(struct flow_pull *pull)
{
    const struct stream_item *item = stream_next(pull->stream);
    if (!item)
        return NULL;
    pull->no_memory |= !flow_run_take(pull->run, item->batch, pull->options.sums_only);
    return item->batch;
}

bool flow_pull_close(struct flow_pull *pull, struct error *error)
{
    struct flow_run *run = pull->run;
    bool good = stream_good(pull->stream, error);
    if (good && pull->no_memory)
        good = error_set(error, ERROR_MEMORY, 0, "the stretches of a trace");
    stream_stop(pull->stream);
    stream_inferred(pull->stream, 0, &run->inferred);
    stream_close(pull->stream);
    for (unsigned i = 0; pull->targets && i <= pull->nr_workers; i++) {
        hot_merge(&run->targets, &pull->targets[i]);
        hot_free(&pull->targets[i]);
    }
    free(pull->targets);
    run->gaps = pull->trace->gaps;
    pull->trace->gaps = (struct gaps){0};
    run->seconds = monotonic_seconds() - pull->start;
    return good;
}

bool flow_run_trace(struct flow_run *run, struct flow_trace *trace, const struct flow_run_options *options,
                    struct error *error)
{
    struct flow_pull pull;
    if (!flow_pull_open(&pull, run, trace, options, error))
        return false;
    while (flow_pull_next(&pull))
        ;
    return flow_pull_close(&pull, error);
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
