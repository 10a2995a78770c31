/* What a run adds up to. */
#include <stdlib.h>

#include "decode/capture/list.h"
#include "decode/flow/flow_run.h"

#define KEPT_ERRORS 16u

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
    flow_gaps_add_loops(&run->decode_gaps, result->loops);
}

void flow_run_add_lost(struct flow_run *run, struct flow_span span)
{
    flow_gaps_add(&run->decode_gaps, FLOW_ERROR_NO_PSB, span.end - span.begin);
}

static bool keep_result(struct flow_run *run, const struct flow_result *result)
{
    void *items = run->results;
    struct flow_result *place = list_add(&items, &run->nr_results, &run->results_room, sizeof(*place));
    run->results = items;
    if (place)
        *place = *result;
    return place != NULL;
}

static bool note_blackouts(struct flow_run *run, const struct flow_result *result)
{
    struct flow_span *place =
        result->blackouts ? list_add((void **)&run->dark, &run->nr_dark, &run->dark_room, sizeof(*place)) : NULL;
    if (place)
        *place = (struct flow_span){result->begin, result->end};
    return place || !result->blackouts;
}

bool flow_run_take(struct flow_run *run, const struct flow_batch *batch, bool sums_only)
{
    if (batch->kind == FLOW_BATCH_END) {
        const bool kept =
            !sums_only || ((batch->result->error || batch->result->loops) && run->nr_results < KEPT_ERRORS);
        flow_run_add(run, batch->result);
        return note_blackouts(run, batch->result) && (!kept || keep_result(run, batch->result));
    }
    if (batch->kind != FLOW_BATCH_GAP)
        return true;
    const struct flow_span span = {batch->gap->begin, batch->gap->end};
    run->lost.bytes += span.end - span.begin;
    if (!batch->gap->has_branches)
        return true;
    flow_run_add_lost(run, span);
    return flow_lost_add(&run->lost, span);
}

void flow_run_sum(struct flow_run *run)
{
    for (size_t i = 0; i < run->nr_results; i++)
        flow_run_add(run, &run->results[i]);
    for (size_t i = 0; i < run->lost.count; i++)
        flow_run_add_lost(run, run->lost.spans[i]);
}

void flow_run_free(struct flow_run *run)
{
    free(run->results);
    free(run->dark);
    gaps_free(&run->gaps);
    flow_lost_free(&run->lost);
    hot_free(&run->targets);
    hot_free(&run->inferred);
    *run = (struct flow_run){0};
}
