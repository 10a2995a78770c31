#include "decode/flow/flow_chunk.h"

#include <stdlib.h>

#include "decode/capture/list.h"

#define KEPT_ERRORS 16u

static bool keep_result(struct flow_chunk *chunk, const struct flow_result *result)
{
    void *items = chunk->run.results;
    struct flow_result *place = list_add(&items, &chunk->run.nr_results, &chunk->results_room, sizeof(*place));
    chunk->run.results = items;
    if (place)
        *place = *result;
    return place != NULL;
}

bool flow_chunk_run(struct flow_chunk *chunk, struct flow *flow, const struct flow_trace *trace, struct flow_part part,
                    bool keep)
{
    struct flow_cursor cursor;
    enum flow_found found;
    bool good = true;
    flow_trace_cursor(&cursor, trace, part);
    while ((found = flow_cursor_next(&cursor)) != FLOW_FOUND_NOTHING) {
        struct flow_result result;
        if (found == FLOW_FOUND_LOST) {
            good = flow_lost_take(&chunk->run.lost, &cursor) && good;
            continue;
        }
        flow_decode(flow, &cursor.stretch, &result);
        flow_run_add(&chunk->run, &result);
        if (keep || ((result.error || result.loops) && chunk->run.nr_results < KEPT_ERRORS))
            good = keep_result(chunk, &result) && good;
    }
    return good;
}

static void add_sums(struct flow_run *run, const struct flow_run *part)
{
    run->stretches += part->stretches;
    run->branches += part->branches;
    run->instructions += part->instructions;
    run->root_instructions += part->root_instructions;
    run->blocks += part->blocks;
    run->packets += part->packets;
    run->overflows += part->overflows;
    run->lost.bytes += part->lost.bytes;
    flow_gaps_sum(&run->decode_gaps, &part->decode_gaps);
}

bool flow_chunks_join(struct flow_run *run, struct flow_chunk *chunks, size_t count)
{
    size_t nr_results = 0, nr_lost = 0;
    for (size_t i = 0; i < count; i++) {
        nr_results += chunks[i].run.nr_results;
        nr_lost += chunks[i].run.lost.count;
    }
    run->results = malloc((nr_results + 1) * sizeof(*run->results));
    run->lost.spans = malloc((nr_lost + 1) * sizeof(*run->lost.spans));
    const bool good = run->results && run->lost.spans;
    for (size_t i = 0; i < count; i++) {
        struct flow_run *part = &chunks[i].run;
        for (size_t k = 0; k < part->nr_results && good; k++)
            run->results[run->nr_results++] = part->results[k];
        for (size_t k = 0; k < part->lost.count && good; k++)
            run->lost.spans[run->lost.count++] = part->lost.spans[k];
        add_sums(run, part);
        flow_run_free(part);
    }
    for (size_t i = 0; i < run->lost.count; i++)
        flow_gaps_add(&run->decode_gaps, FLOW_ERROR_NO_PSB, run->lost.spans[i].end - run->lost.spans[i].begin);
    return good;
}
