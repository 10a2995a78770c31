#include "decode/query/executing_spans.h"

#include <stdlib.h>

static int by_begin(const void *left, const void *right)
{
    const struct time_span *a = left, *b = right;
    return a->begin < b->begin ? -1 : a->begin > b->begin;
}

static int by_end(const void *left, const void *right)
{
    const struct time_span *a = left, *b = right;
    return a->end < b->end ? -1 : a->end > b->end;
}

struct time_span *executing_spans(const struct indexed_capture *indexed, const struct listing_range *ranges,
                                  size_t nr_ranges, size_t *count)
{
    const struct query_index *index = &indexed->index;
    const uint64_t nr_chunks = index->header->counts[INDEX_CHUNKS];
    const struct listing listing = {.indexed = indexed, .ranges = ranges, .nr_ranges = nr_ranges};
    struct time_span *spans = malloc(((size_t)nr_chunks + 1) * sizeof(*spans));
    *count = 0;
    for (uint64_t i = 0; i < nr_chunks && spans && nr_ranges > 0; i++)
        if (listing_matches(&listing, &index->chunks[i])) {
            struct time_span *span = &spans[(*count)++];
            listing_chunk_times(indexed, &index->chunks[i], &span->begin, &span->end);
        }
    return spans;
}

struct span_search span_search_begin(struct time_span *spans, size_t count, bool before, uint64_t than)
{
    if (count > 0)
        qsort(spans, count, sizeof(*spans), before ? by_end : by_begin);
    return (struct span_search){before, than, spans, count, 1};
}

/* From one end of the sorted spans. */
static struct time_span take(struct span_search *search)
{
    search->count--;
    return search->before ? search->spans[search->count] : *search->spans++;
}

bool span_search_next(struct span_search *search, struct time_span *part)
{
    size_t taken = 0;
    *part = (struct time_span){UINT64_MAX, 0};
    while (search->count > 0 && taken < search->most) {
        const struct time_span span = take(search);
        if (search->before ? span.begin > search->than : span.end < search->than)
            continue;
        part->begin = span.begin < part->begin ? span.begin : part->begin;
        part->end = span.end > part->end ? span.end : part->end;
        taken++;
    }
    search->most *= 2;
    return taken > 0;
}
