#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "decode/export/formats.h"
#include "decode/profile/label.h"

/* Format: Brendan Gregg's folded stacks, "process;outermost;...;innermost count" on each line. */

/* A line has no more frames. Without a limit, the size of the file would be the square of the depth. */
#define MOST_FRAMES 500u
#define DEEPER "[deeper]" /* in place of the frames between */

/* The path to a node as text: each level appends its name, and cuts it off again. */
struct path {
    char *text;
    size_t used, room;
    size_t beyond; /* levels that are not in the text: there are too many */
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

/* One level more, within the limit or not. false: out of memory. */
static bool path_enter(struct path *path, const char *label, size_t level)
{
    path->beyond += level > MOST_FRAMES;
    return level > MOST_FRAMES || path_add(path, label);
}

static void path_leave(struct path *path)
{
    if (path->beyond > 0)
        path->beyond--;
    else
        path_cut(path);
}

/* label: of the innermost level. */
static bool write_line(FILE *file, struct path *path, const char *label, uint64_t count)
{
    const bool deeper = path->beyond > 0;
    if (deeper && (!path_add(path, DEEPER) || !path_add(path, label)))
        return false;
    fprintf(file, "%.*s %" PRIu64 "\n", (int)path->used, path->text, count);
    if (deeper) {
        path_cut(path);
        path_cut(path);
    }
    return true;
}

static bool write_process(FILE *file, struct path *path, const struct profile *profile, uint32_t root,
                          enum export_unit unit)
{
    char text[LABEL_SIZE];
    uint32_t node = profile->nodes[root].child;
    for (size_t level = 1; node;) {
        const struct profile_node *at = &profile->nodes[node];
        const uint64_t count = unit == EXPORT_TICKS ? at->ticks : at->branches;
        const char *label = label_text(text, at->name);
        if (!path_enter(path, label, level) || (count > 0 && !write_line(file, path, label, count)))
            return false;
        if (at->child) {
            level++;
            node = at->child;
            continue;
        }
        path_leave(path);
        while (node != root && !profile->nodes[node].sibling) {
            node = profile->nodes[node].parent;
            level--;
            if (node != root)
                path_leave(path);
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
