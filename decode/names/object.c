#include "decode/names/object.h"

#include <stdlib.h>
#include <string.h>

#include "decode/capture/list.h"
#include "serial/wire/record.h"

struct object *object_new(enum object_kind kind, const char *name)
{
    struct object *object = calloc(1, sizeof(*object));
    const char *slash = strrchr(name, '/');
    if (!object)
        return NULL;
    object->kind = kind;
    object->name = strdup(slash ? slash + 1 : name);
    object->path = kind == OBJECT_PROGRAM ? strdup(name) : NULL;
    if (object->name && (object->path || kind != OBJECT_PROGRAM))
        return object;
    object_free(object);
    return NULL;
}

void object_free(struct object *object)
{
    if (!object)
        return;
    symbol_table_free(&object->symbols);
    free(object->code);
    free(object->name);
    free(object->path);
    free(object->file);
    free(object);
}

bool object_add_code(struct object *object, uint64_t begin, uint64_t size)
{
    struct object_range *range = list_add((void **)&object->code, &object->nr_code, &object->code_room, sizeof(*range));
    if (range)
        *range = (struct object_range){begin, begin + size < begin ? UINT64_MAX : begin + size};
    return range;
}

const struct symbol_entry *object_find(const struct object *object, uint64_t address, uint64_t *begin, uint64_t *end)
{
    /* Outside of all code the range is the page. */
    *begin = address & ~(uint64_t)(RECORD_PAGE_SIZE - 1);
    *end = *begin + RECORD_PAGE_SIZE;
    for (size_t i = 0; i < object->nr_code; i++)
        if (address >= object->code[i].begin && address < object->code[i].end) {
            *begin = object->code[i].begin;
            *end = object->code[i].end;
            const uint64_t limit = *end, first = *begin;
            const struct symbol_entry *entry = symbol_table_find(&object->symbols, address, begin, end);
            if (entry && entry->begin >= first) {
                *begin = entry->begin;
                *end = entry->end < limit ? entry->end : limit;
                return entry;
            }
            if (entry && entry->end < *end) /* a symbol of another section that overlaps this one */
                *end = limit;
            return NULL;
        }
    return NULL;
}
