/* Format: LLVM BOLT, "perf2bolt -pa": bolt/include/bolt/Profile/DataAggregator.h describes the lines. */
#include <inttypes.h>
#include <string.h>

#include "decode/export/formats.h"
#include "decode/report/number_text.h"

static bool is_of(const struct name *name, const char *object)
{
    return name->object && !strcmp(name->object, object);
}

static bool write_edges(FILE *file, const struct edges *edges, const struct export_job *job, struct error *error)
{
    const char *object = job->object;
    char number[COUNTED_TEXT_SIZE];
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
    if (lines == 0) /* perf2bolt fails on an empty file */
        return error_set(error, ERROR_NOT_EXECUTED, 0, "%s", object);
    job->note("%s of %s", counted_text(number, lines, "line", "lines"), object);
    return true;
}

const struct export_format format_bolt = {
    .name = "bolt",
    .readers = "perf2bolt -pa: branches and what ran between them, of one --object",
    .options = EXPORT_OPTION_OBJECT,
    .write_edges = write_edges,
};
