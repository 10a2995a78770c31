#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "decode/export/formats.h"
#include "decode/profile/label.h"

/* Format: Brendan Gregg's folded stacks, "process;outermost;...;innermost count" on each line. The path to a node as
 * text: each level appends its name, and cuts it off again. */
struct path {
    char *text;
    size_t used, room;
};

static bool path_add(struct path *path, const char *label)
{
    const size_t length = strlen(label);
    if (path->used + length + 2 > path->room) {
        const size_t room = 2 * (path->used + length + 2);
        char *more = realloc(path->text, room);
        if (!more)
            return false;
        path->text = more;
        path->room = room;
    }
    if (path->used > 0)
        path->text[path->used++] = ';';
    for (size_t i = 0; i < length; i++)
        path->text[path->used++] = label[i] == ';' || label[i] == '\n' ? ':' : label[i];
    return true;
}

static void path_cut(struct path *path)
{
    while (path->used > 0 && path->text[--path->used] != ';')
        ;
}

static bool write_process(FILE *file, struct path *path, const struct profile *profile, uint32_t root,
                          enum export_unit unit)
{
    char text[LABEL_SIZE];
    uint32_t node = profile->nodes[root].child;
    while (node) {
        const struct profile_node *at = &profile->nodes[node];
        const uint64_t count = unit == EXPORT_TICKS ? at->ticks : at->branches;
        if (!path_add(path, label_text(text, at->name)))
            return false;
        if (count > 0)
            fprintf(file, "%.*s %" PRIu64 "\n", (int)path->used, path->text, count);
        if (at->child) {
            node = at->child;
            continue;
        }
        path_cut(path);
        while (node != root && !profile->nodes[node].sibling) {
            node = profile->nodes[node].parent;
            if (node != root)
                path_cut(path);
        }
        node = node == root ? 0 : profile->nodes[node].sibling;
    }
    return true;
}

static bool write_profile(FILE *file, const struct profile *profile, const struct export_job *job, struct error *error)
{
    const enum export_unit unit = job->unit;
    struct path path = {0};
    char text[LABEL_SIZE];
    bool good = true;
    for (size_t i = 1; i < profile->nr_processes && good; i++) {
        path.used = 0;
        good = path_add(&path, label_process(text, &profile->processes[i])) &&
               write_process(file, &path, profile, profile->processes[i].root, unit);
    }
    const uint64_t lost = unit == EXPORT_TICKS ? profile->lost_ticks : profile->lost_branches;
    if (lost > 0)
        fprintf(file, "[unknown task] %" PRIu64 "\n", lost);
    free(path.text);
    return good || error_set(error, ERROR_MEMORY, 0, "the call tree");
}

const struct export_format format_folded = {
    .name = "folded",
    .readers = "folded stacks: flamegraph.pl, speedscope, inferno",
    .options = EXPORT_OPTION_UNIT,
    .write_profile = write_profile,
};
