#include "decode/report/shards.h"

#include <stdlib.h>

static int compare_results(const void *a, const void *b)
{
    const struct flow_result *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

static int compare_spans(const void *a, const void *b)
{
    const struct flow_span *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

uint32_t shards_join(struct shards *shards)
{
    for (uint32_t i = 0; i < shards->nr_parts; i++)
        if (!shards->present[i])
            return i + 1;
    for (unsigned cpu = 0; cpu < CAPTURE_MAX_CPUS; cpu++) {
        struct flow_run *run = &shards->cpus[cpu].run;
        if (run->nr_results > 0)
            qsort(run->results, run->nr_results, sizeof(*run->results), compare_results);
        if (run->lost.count > 0)
            qsort(run->lost.spans, run->lost.count, sizeof(*run->lost.spans), compare_spans);
        flow_run_sum(run);
    }
    return 0;
}

void shards_free(struct shards *shards)
{
    for (unsigned cpu = 0; cpu < CAPTURE_MAX_CPUS; cpu++)
        flow_run_free(&shards->cpus[cpu].run);
    free(shards->present);
    *shards = (struct shards){0};
}
