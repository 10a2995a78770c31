#include "decode/cli/trace/trace_chunks.h"

#include <stdlib.h>

bool trace_chunks_find(struct trace_chunks *chunks, const struct trace_list *list)
{
    const struct indexed_capture *indexed = list->indexed;
    const struct listing listing = trace_listing(list);
    if (!list->function.pattern)
        return true;
    chunks->count = indexed->index.header->counts[INDEX_CHUNKS];
    chunks->items = calloc(chunks->count + 1, sizeof(*chunks->items));
    for (size_t i = 0; i < chunks->count && chunks->items; i++) {
        const struct index_chunk *chunk = &indexed->index.chunks[i];
        struct trace_chunk *own = &chunks->items[i];
        listing_chunk_times(indexed, chunk, &own->begin, &own->end);
        own->cpu = (uint16_t)chunk->cpu;
        own->selected = listing_matches(&listing, chunk);
    }
    return chunks->items;
}

void trace_chunks_free(struct trace_chunks *chunks)
{
    free(chunks->items);
    *chunks = (struct trace_chunks){0};
}

bool trace_chunks_overlap(const struct trace_chunks *chunks, const struct trace_chunk *chunk)
{
    for (size_t i = 0; i < chunks->count; i++) {
        const struct trace_chunk *other = &chunks->items[i];
        if (other->selected && other->cpu != chunk->cpu && other->begin <= chunk->end && chunk->begin <= other->end)
            return true;
    }
    return false;
}
