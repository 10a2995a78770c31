#include "decode/check/truth_align.h"

#include <stdlib.h>
#include <string.h>

/* Offset in the truth = offset in the trace + drift, until the next gap with an unknown number of bytes. */
struct alignment {
    const struct truth_cpu *truth;
    const struct flow_result *results;
    size_t nr_results;
    const struct gaps *gaps;
    struct truth_aligned *aligned;
    uint64_t drift;
    bool lost; /* the drift is unknown since hole_at, an offset in the truth */
    uint64_t hole_at;
};

static bool loses_count(const struct record_gap *gap)
{
    return gap->cause == RECORD_GAP_OVERRUN || gap->cause == RECORD_GAP_ERROR;
}

/* Does the truth's interval at checkpoint i equal the stretch? */
static bool same_stretch(const struct truth_cpu *truth, size_t i, const struct flow_result *result)
{
    const struct truth_checkpoint *begin = &truth->checkpoints[i];
    uint64_t end, branches, hash;
    if (i + 1 < truth->nr_checkpoints) {
        end = begin[1].trace_offset, branches = begin[1].branches, hash = begin[1].hash;
    } else if (truth->ended) {
        end = truth->end.trace_bytes, branches = truth->end.branches, hash = truth->end.hash;
    } else {
        return false;
    }
    return end - begin->trace_offset == result->end - result->begin && branches == result->branches &&
           hash == result->hash;
}

/* Do the stretches from `at` up to the next gap equal the intervals from checkpoint i on? */
static bool same_run(const struct alignment *a, size_t i, size_t at)
{
    for (; at < a->nr_results && !gaps_touch(a->gaps, a->results[at].begin, a->results[at].end); at++, i++)
        if (i >= a->truth->nr_checkpoints || !same_stretch(a->truth, i, &a->results[at]))
            return false;
    return true;
}

static bool find_drift(struct alignment *a, size_t at)
{
    const struct flow_result *result = &a->results[at];
    for (size_t i = 0; i < a->truth->nr_checkpoints; i++) {
        uint64_t offset = a->truth->checkpoints[i].trace_offset;
        if (offset >= result->begin + a->drift && offset >= a->hole_at && same_run(a, i, at)) {
            a->drift = offset - result->begin;
            return true;
        }
    }
    return false;
}

static void add_gap(struct alignment *a, struct record_gap gap, uint64_t end)
{
    gap.size = end - gap.at;
    a->aligned->gaps.items[a->aligned->gaps.count++] = gap;
}

/* Take a gap that comes before the next stretch. */
static void take_gap(struct alignment *a, const struct record_gap *gap)
{
    struct record_gap moved = *gap;
    moved.at += a->drift;
    if (a->lost)
        return; /* within the hole */
    if (loses_count(gap)) {
        a->lost = true;
        a->hole_at = moved.at;
    } else {
        add_gap(a, moved, moved.at + gap->size);
    }
}

static void take_result(struct alignment *a, size_t at)
{
    struct flow_result moved = a->results[at];
    bool whole = !gaps_touch(a->gaps, moved.begin, moved.end);
    if (a->lost) {
        if (!whole || !find_drift(a, at)) {
            a->aligned->nr_unplaced += whole;
            a->aligned->nr_unplaced_parts += !whole;
            return;
        }
        add_gap(a, (struct record_gap){.at = a->hole_at, .cause = RECORD_GAP_OVERRUN}, moved.begin + a->drift);
        a->lost = false;
    }
    moved.begin += a->drift;
    moved.end += a->drift;
    a->aligned->origins[a->aligned->nr_results] = at;
    a->aligned->results[a->aligned->nr_results++] = moved;
}

bool truth_align(struct truth_aligned *aligned, const struct truth_cpu *truth, const struct flow_result *results,
                 size_t nr_results, const struct gaps *gaps, struct error *error)
{
    *aligned = (struct truth_aligned){.results = calloc(nr_results + 1, sizeof(*results)),
                                      .origins = calloc(nr_results + 1, sizeof(*aligned->origins)),
                                      .gaps.items = calloc(gaps->count + 1, sizeof(*gaps->items))};
    if (!aligned->results || !aligned->origins || !aligned->gaps.items) {
        truth_aligned_free(aligned);
        return error_set(error, ERROR_MEMORY, 0, "%zu stretches", nr_results);
    }
    struct alignment a = {truth, results, nr_results, gaps, aligned, 0, false, 0};
    size_t gap = 0;
    for (size_t at = 0; at < nr_results; at++) {
        for (; gap < gaps->count && gaps->items[gap].at <= results[at].begin; gap++)
            take_gap(&a, &gaps->items[gap]);
        take_result(&a, at);
    }
    for (; gap < gaps->count; gap++)
        take_gap(&a, &gaps->items[gap]);
    if (a.lost) /* the rest cannot be compared */
        add_gap(&a, (struct record_gap){.at = a.hole_at, .cause = RECORD_GAP_OVERRUN}, truth->end.trace_bytes + 1);
    return true;
}

void truth_aligned_free(struct truth_aligned *aligned)
{
    free(aligned->results);
    free(aligned->origins);
    gaps_free(&aligned->gaps);
    *aligned = (struct truth_aligned){0};
}
