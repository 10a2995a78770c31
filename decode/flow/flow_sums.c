/* What a run adds up to. */
#include <stdlib.h>

#include "decode/flow/flow_run.h"

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

void flow_run_sum(struct flow_run *run)
{
    for (size_t i = 0; i < run->nr_results; i++)
        flow_run_add(run, &run->results[i]);
    for (size_t i = 0; i < run->lost.count; i++)
        flow_gaps_add(&run->decode_gaps, FLOW_ERROR_NO_PSB, run->lost.spans[i].end - run->lost.spans[i].begin);
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
