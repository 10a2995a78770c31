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

bool listing_matches(const struct listing *listing, const struct index_chunk *chunk)
{
    const struct query_index *index = &listing->indexed->index;
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

void listing_chunk_times(const struct indexed_capture *indexed, const struct index_chunk *chunk, uint64_t *begin,
                         uint64_t *end)
{
    *begin = indexed->index.stretches[chunk->first_stretch].tsc;
    *end = end_of(&indexed->index, chunk, chunk->first_stretch + chunk->nr_stretches - 1);
}

static bool is_wanted(const struct listing *listing, const struct index_chunk *chunk, uint32_t stretch)
{
    const struct query_index *index = &listing->indexed->index;
    return stretch >= listing->from_stretch && index->stretches[stretch].tsc <= listing->to_tsc &&
           end_of(index, chunk, stretch) >= listing->from_tsc;
}

/* The stretches of a chunk that overlap the requested time. false: there are none. */
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

bool listing_open(struct listing_reader *reader, const struct listing *listing, struct error *error)
{
    *reader = (struct listing_reader){.listing = *listing, .known = true};
    return source_open(&reader->source, &listing->indexed->traces[listing->cpu], (struct flow_part){0, 0},
                       listing->needs | FLOW_NEED_TIME | FLOW_NEED_CONTEXT, error);
}

void listing_close(struct listing_reader *reader)
{
    source_close(&reader->source);
}

static void begin_chunk(struct listing_reader *reader, const struct index_chunk *chunk, uint32_t first, uint32_t last)
{
    const struct indexed_capture *indexed = reader->listing.indexed;
    const struct index_stretch *stretches = indexed->index.stretches;
    capture_check_trace(indexed->capture, chunk->cpu, stretches[first].begin, stretches[last].end);
    source_seek(&reader->source, (struct flow_part){stretches[first].begin, stretches[last].begin + 1});
    reader->in_chunk = true;
    reader->out = false;
    reader->known = true;
}

static enum listing_answer is_chunk_wanted(const struct listing *listing, const struct index_chunk *chunk)
{
    if (listing_matches(listing, chunk))
        return LISTING_YES;
    return listing->continues ? listing->continues(listing->context, chunk) : LISTING_NO;
}

/* Find the next chunk that is wanted. false: there is none, or not yet. */
static bool find_chunk(struct listing_reader *reader)
{
    const struct listing *listing = &reader->listing;
    const struct query_index *index = &listing->indexed->index;
    for (reader->waits = false; reader->chunk < index->header->counts[INDEX_CHUNKS]; reader->chunk++) {
        const struct index_chunk *chunk = &index->chunks[reader->chunk];
        uint32_t first, last;
        if (chunk->cpu != listing->cpu || !find_part(listing, chunk, &first, &last))
            continue;
        const enum listing_answer answer = is_chunk_wanted(listing, chunk);
        reader->waits = answer == LISTING_NOT_YET;
        if (reader->waits)
            return false;
        if (answer == LISTING_NO) {
            reader->known &= is_known(index, chunk);
            reader->out = true;
            continue;
        }
        if (reader->out && listing->left_out)
            listing->left_out(listing->context, reader->known && follows(index, chunk));
        begin_chunk(reader, chunk, first, last);
        reader->chunk++;
        return true;
    }
    return false;
}

const struct flow_batch *listing_next(struct listing_reader *reader)
{
    const struct flow_batch *batch = NULL;
    while (!batch && (reader->in_chunk || find_chunk(reader))) {
        batch = source_next(&reader->source);
        reader->in_chunk = batch != NULL;
        if (batch && batch->kind == FLOW_BATCH_GAP)
            batch = NULL;
    }
    return batch;
}
