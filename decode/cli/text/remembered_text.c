#include "decode/cli/text/remembered_text.h"

#include "decode/names/build_id.h"
#include "decode/names/remembered.h"
#include "decode/report/json.h"
#include "decode/report/number_text.h"

/* NULL: it has none. */
static const char *id_of(char text[BUILD_ID_TEXT_SIZE], const struct remembered_item *item)
{
    return item->id_size ? build_id_text(text, item->id, item->id_size) : NULL;
}

static void print_item(FILE *file, const struct remembered_item *item, const char *before)
{
    char text[BUILD_ID_TEXT_SIZE];
    const char *id = id_of(text, item);
    fprintf(file, "%s%s %s", before, item->kind == REMEMBERED_GIVEN ? "files" : remembered_kind_text(item->kind),
            item->path);
    if (id)
        fprintf(file, ", build ID %s", id);
    if (item->kind != REMEMBERED_GIVEN && !remembered_is_same(item))
        fputs(", which is gone or has changed", file);
    fputc('\n', file);
}

void remembered_print(FILE *file, const struct capture *capture, const char *before)
{
    struct remembered remembered;
    char number[COUNTED_TEXT_SIZE];
    size_t files = 0, changed = 0;
    remembered_read(&remembered, capture);
    for (size_t i = 0; i < remembered.count; i++) {
        const struct remembered_item *item = &remembered.items[i];
        if (item->kind < REMEMBERED_FILE)
            print_item(file, item, before);
        files += item->kind == REMEMBERED_FILE;
        changed += item->kind == REMEMBERED_FILE && !remembered_is_same(item);
    }
    if (files) {
        fprintf(file, "%s%s with code of the trace", before, counted_text(number, files, "file", "files"));
        if (changed)
            fprintf(file, ", of which %s gone or changed", counted_text(number, changed, "is", "are"));
        fputc('\n', file);
    }
    remembered_free(&remembered);
}

void remembered_json(FILE *file, const struct capture *capture)
{
    struct remembered remembered;
    char text[BUILD_ID_TEXT_SIZE];
    size_t count = 0;
    remembered_read(&remembered, capture);
    fputs("  \"names\": [", file);
    for (size_t i = 0; i < remembered.count; i++) {
        const struct remembered_item *item = &remembered.items[i];
        if (item->kind == REMEMBERED_OTHER)
            continue;
        fputs(count++ ? ",\n    {" : "\n    {", file);
        json_string(file, "kind", remembered_kind_text(item->kind), ", ");
        json_string(file, "path", item->path, ", ");
        json_string(file, "build_id", id_of(text, item), "}");
    }
    fputs(count ? "\n  ],\n" : "],\n", file);
    remembered_free(&remembered);
}
