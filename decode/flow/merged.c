#include "decode/flow/merged.h"

#include <stdlib.h>

#include "decode/flow/stream.h"

struct merge {
    struct flow_trace *traces;
    struct stream_part *parts; /* of each CPU that has a trace */
    size_t nr_parts;
};

static bool open_traces(struct merge *merge, const struct capture *capture, struct error *error)
{
    merge->traces = calloc(capture->nr_cpus + 1u, sizeof(*merge->traces));
    merge->parts = calloc(capture->nr_cpus + 1u, sizeof(*merge->parts));
    if (!merge->traces || !merge->parts)
        return error_set(error, ERROR_MEMORY, 0, "%u CPUs", capture->nr_cpus);
    for (unsigned cpu = 0; cpu < capture->nr_cpus; cpu++) {
        struct flow_trace *trace = &merge->traces[cpu];
        if (!capture->cpus[cpu].present)
            continue;
        if (!flow_trace_open_uncut(trace, capture, (uint16_t)cpu, error))
            return false;
        merge->parts[merge->nr_parts++] =
            (struct stream_part){.trace = trace, .part = flow_part(trace->input.trace_size, 0, 0)};
    }
    return true;
}

static void take_item(struct merged *merged, const struct stream_item *item, merged_take *take, void *context)
{
    const struct flow_batch *batch = item->batch;
    const uint16_t cpu = batch->context.cpu;
    if (batch->kind == FLOW_BATCH_ITEMS) {
        merged->branches[cpu] += batch->count;
        merged->untimed[cpu] += item->time == 0 ? batch->count : 0;
        take(context, cpu, item->time, batch->items, batch->count);
    } else if (batch->kind == FLOW_BATCH_END) {
        merged->errors[cpu] += (batch->result->error != FLOW_OK) + batch->result->loops;
    } else if (batch->kind == FLOW_BATCH_GAP) {
        merged->errors[cpu] += batch->gap->has_branches;
    }
}

bool merged_run(struct merged *merged, const struct capture *capture, unsigned threads, merged_take *take,
                void *context, struct error *error)
{
    const struct stream_options options = {
        .needs = FLOW_NEED_BRANCHES | FLOW_NEED_TIME, .threads = threads, .by_time = true};
    const struct stream_item *item;
    struct merge merge = {0};
    *merged = (struct merged){{0}, {0}, {0}};
    bool good = open_traces(&merge, capture, error);
    struct stream *stream = good ? stream_open(merge.parts, merge.nr_parts, &options, error) : NULL;
    while (stream && (item = stream_next(stream)))
        take_item(merged, item, take, context);
    good = stream && stream_good(stream, error);
    if (stream)
        stream_close(stream);
    for (unsigned cpu = 0; merge.traces && cpu < capture->nr_cpus; cpu++)
        flow_trace_close(&merge.traces[cpu]);
    free(merge.traces);
    free(merge.parts);
    return good;
}
