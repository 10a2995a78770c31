#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "decode/export/formats.h"
#include "decode/profile/label.h"

/* The way to a node, as text: what each level adds is cut off again. */
struct way {
    char *text;
    size_t used, room;
};

static bool way_add(struct way *way, const char *label)
{
    const size_t length = strlen(label);
    if (way->used + length + 2 > way->room) {
        const size_t room = 2 * (way->used + length + 2);
        char *more = realloc(way->text, room);
        if (!more)
            return false;
        way->text = more;
        way->room = room;
    }
    if (way->used > 0)
        way->text[way->used++] = ';';
    for (size_t i = 0; i < length; i++)
        way->text[way->used++] = label[i] == ';' || label[i] == '\n' ? ':' : label[i];
    return true;
}

static void way_cut(struct way *way)
{
    while (way->used > 0 && way->text[--way->used] != ';')
        ;
}

static bool write_process(FILE *file, struct way *way, const struct profile *profile, uint32_t root,
                          enum export_unit unit)
{
    char text[LABEL_SIZE];
    uint32_t node = profile->nodes[root].child;
    while (node) {
        const struct profile_node *at = &profile->nodes[node];
        const uint64_t count = unit == EXPORT_TICKS ? at->ticks : at->branches;
        if (!way_add(way, label_text(text, at->name)))
            return false;
        if (count > 0)
            fprintf(file, "%.*s %" PRIu64 "\n", (int)way->used, way->text, count);
        if (at->child) {
            node = at->child;
            continue;
        }
        way_cut(way);
        while (node != root && !profile->nodes[node].sibling) {
            node = profile->nodes[node].parent;
            if (node != root)
                way_cut(way);
        }
        node = node == root ? 0 : profile->nodes[node].sibling;
    }
    return true;
}

static bool write_profile(FILE *file, const struct profile *profile, const struct export_job *job, struct error *error)
{
    const enum export_unit unit = job->unit;
    struct way way = {0};
    char text[LABEL_SIZE];
    bool good = true;
    for (size_t i = 1; i < profile->nr_processes && good; i++) {
        way.used = 0;
        good = way_add(&way, label_process(text, &profile->processes[i])) &&
               write_process(file, &way, profile, profile->processes[i].root, unit);
    }
    const uint64_t lost = unit == EXPORT_TICKS ? profile->lost_ticks : profile->lost_branches;
    if (lost > 0)
        fprintf(file, "[unknown task] %" PRIu64 "\n", lost);
    free(way.text);
    return good || error_set(error, ERROR_MEMORY, 0, "the call tree");
}

const struct export_format format_folded = {
    .name = "folded",
    .readers = "folded stacks: flamegraph.pl, speedscope, inferno",
    .options = EXPORT_OPTION_UNIT,
    .write_profile = write_profile,
};
