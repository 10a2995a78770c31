/* Source: LLVM BOLT, "perf2bolt -pa": bolt/include/bolt/Profile/DataAggregator.h tells the lines' form. */
#include <inttypes.h>
#include <string.h>

#include "decode/export/formats.h"

static bool is_of(const struct name *name, const char *object)
{
    return name->object && !strcmp(name->object, object);
}

uint64_t bolt_write(FILE *file, const struct edges *edges, const char *object)
{
    uint64_t lines = 0;
    for (size_t i = 0; i < edges->used; i++) {
        const struct edge *edge = &edges->items[i];
        const bool from = is_of(edge->name_from, object), to = is_of(edge->name_to, object);
        if (edge->kind == EDGE_TAKEN && (from || to))
            fprintf(file, "B %" PRIx64 " %" PRIx64 " %" PRIu64 " 0\n", from ? edge->linked_from : 0,
                    to ? edge->linked_to : 0, edge->count);
        else if (edge->kind == EDGE_RAN && from && edge->last)
            fprintf(file, "F %" PRIx64 " %" PRIx64 " %" PRIu64 "\n", edge->linked_from, edge->linked_to - edge->last,
                    edge->count);
        else
            continue;
        lines++;
    }
    return lines;
}
