#include "decode/query/listing.h"

#include "decode/capture/capture_check.h"
#include "decode/flow/flow_trace.h"

/* Does the chunk execute a granule of numbers from first on, before end? */
static bool has_granule(const struct query_index *index, const struct index_chunk *chunk, uint32_t first, uint32_t end)
{
    const uint32_t *set = index->sets + chunk->first_set;
    uint32_t low = 0, high = chunk->nr_set;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (set[middle] < first)
            low = middle + 1;
        else
            high = middle;
    }
    return low < chunk->nr_set && set[low] < end;
}

static bool executes(const struct query_index *index, const struct index_chunk *chunk,
                     const struct listing_range *ranges, size_t nr_ranges)
{
    const uint64_t nr_granules = index->header->counts[INDEX_GRANULES];
    bool found = false;
    for (size_t i = 0; i < nr_ranges && !found; i++) {
        const struct listing_range *range = &ranges[i];
        const uint32_t first = index_granule_at(index->granules, nr_granules, range->begin >> INDEX_GRANULE_SHIFT);
        const uint32_t end =
            index_granule_at(index->granules, nr_granules, ((range->end - 1) >> INDEX_GRANULE_SHIFT) + 1);
        found = first < end && has_granule(index, chunk, first, end);
    }
    return found;
}

static bool executes_in(const struct query_index *index, const struct index_chunk *chunk, const bool *spaces)
{
    for (uint32_t i = 0; i < chunk->nr_spaces; i++)
        if (spaces[index->space_sets[chunk->first_space + i]])
            return true;
    return false;
}

bool listing_wants(const struct listing *listing, const struct index_chunk *chunk)
{
    const struct query_index *index = &listing->ask->index;
    size_t nr_also = 0;
    const struct listing_range *also = listing->also ? listing->also(listing->context, &nr_also) : NULL;
    return executes(index, chunk, also, nr_also) ||
           ((listing->nr_ranges == 0 || executes(index, chunk, listing->ranges, listing->nr_ranges)) &&
            (!listing->spaces || executes_in(index, chunk, listing->spaces)));
}

/* Does the chunk begin where the one before has ended? */
static bool follows(const struct query_index *index, const struct index_chunk *chunk)
{
    const uint32_t first = chunk->first_stretch;
    return chunk == index->chunks || chunk[-1].cpu != chunk->cpu ||
           index->stretches[first].begin == index->stretches[first - 1].end;
}

/* Is all known from the chunk before up to its end? */
static bool is_known(const struct query_index *index, const struct index_chunk *chunk)
{
    bool known = chunk->nr_errors == 0 && follows(index, chunk);
    for (uint32_t i = 1; i < chunk->nr_stretches && known; i++)
        known = index->stretches[chunk->first_stretch + i].begin == index->stretches[chunk->first_stretch + i - 1].end;
    return known;
}

/* Up to which time the stretch can reach. */
static uint64_t end_of(const struct query_index *index, const struct index_chunk *chunk, uint32_t stretch)
{
    const struct index_chunk *next = chunk + 1;
    const bool last = stretch + 1 == chunk->first_stretch + chunk->nr_stretches;
    if (last && ((uint64_t)(next - index->chunks) == index->header->counts[INDEX_CHUNKS] || next->cpu != chunk->cpu))
        return UINT64_MAX;
    const uint64_t tsc = index->stretches[stretch + 1].tsc;
    return tsc ? tsc : UINT64_MAX;
}

void listing_chunk_times(const struct ask *ask, const struct index_chunk *chunk, uint64_t *begin, uint64_t *end)
{
    *begin = ask->index.stretches[chunk->first_stretch].tsc;
    *end = end_of(&ask->index, chunk, chunk->first_stretch + chunk->nr_stretches - 1);
}

static bool is_wanted(const struct listing *listing, const struct index_chunk *chunk, uint32_t stretch)
{
    const struct query_index *index = &listing->ask->index;
    return stretch >= listing->from_stretch && index->stretches[stretch].tsc <= listing->to_tsc &&
           end_of(index, chunk, stretch) >= listing->from_tsc;
}

static bool is_done(const struct listing *listing)
{
    return listing->is_done && listing->is_done(listing->context);
}

static void decode_chunk(const struct listing *listing, struct flow *flow, const struct index_chunk *chunk,
                         uint32_t first, uint32_t last)
{
    const struct ask *ask = listing->ask;
    const struct flow_part part = {ask->index.stretches[first].begin, ask->index.stretches[last].begin + 1};
    struct flow_cursor cursor;
    enum flow_found found;
    capture_check_trace(ask->capture, chunk->cpu, part.from, ask->index.stretches[last].end);
    flow_trace_cursor(&cursor, &ask->traces[chunk->cpu], part);
    while (!is_done(listing) && (found = flow_cursor_next(&cursor)) != FLOW_FOUND_NOTHING) {
        struct flow_result result;
        if (found != FLOW_FOUND_STRETCH)
            continue;
        flow_begin(flow, &cursor.stretch, &result);
        while (flow_go_on(flow) && !is_done(listing))
            ;
    }
}

/* The part of a chunk that is of the wanted time. false: none is. */
static bool find_part(const struct listing *listing, const struct index_chunk *chunk, uint32_t *first, uint32_t *last)
{
    *first = chunk->first_stretch;
    *last = chunk->first_stretch + chunk->nr_stretches - 1;
    while (*first <= *last && !is_wanted(listing, chunk, *first))
        ++*first;
    while (*last > *first && !is_wanted(listing, chunk, *last))
        --*last;
    return *first <= *last;
}

bool listing_run(const struct listing *listing, struct error *error)
{
    const struct query_index *index = &listing->ask->index;
    bool out = false, known = true;
    struct flow *flow = flow_start(&listing->ask->traces[listing->cpu].input, &listing->hooks, error);
    if (!flow)
        return false;
    if (listing->flow)
        *listing->flow = flow;
    for (uint64_t i = 0; i < index->header->counts[INDEX_CHUNKS] && !is_done(listing); i++) {
        const struct index_chunk *chunk = &index->chunks[i];
        uint32_t first, last;
        if (chunk->cpu != listing->cpu || !find_part(listing, chunk, &first, &last))
            continue;
        if (!listing_wants(listing, chunk) && !(listing->goes_on && listing->goes_on(listing->context, chunk))) {
            known &= is_known(index, chunk);
            out = true;
            continue;
        }
        if (out && listing->left_out)
            listing->left_out(listing->context, known && follows(index, chunk));
        out = false;
        known = true;
        decode_chunk(listing, flow, chunk, first, last);
    }
    if (listing->flow)
        *listing->flow = NULL;
    flow_end(flow);
    return true;
}
