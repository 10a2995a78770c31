#include "decode/names/symbol_table.h"

#include <stdlib.h>
#include <string.h>

#include "decode/capture/list.h"

#define CHUNK_ROOM (256u << 10)

struct symbol_chunk {
    struct symbol_chunk *next;
    size_t used, room;
    char text[];
};

static char *room_for(struct symbol_table *table, size_t size)
{
    struct symbol_chunk *chunk = table->chunks;
    if (!chunk || chunk->room - chunk->used < size) {
        const size_t room = size > CHUNK_ROOM ? size : CHUNK_ROOM;
        chunk = malloc(sizeof(*chunk) + room);
        if (!chunk)
            return NULL;
        *chunk = (struct symbol_chunk){.next = table->chunks, .room = room};
        table->chunks = chunk;
    }
    chunk->used += size;
    return chunk->text + chunk->used - size;
}

void symbol_table_add(struct symbol_table *table, uint64_t begin, uint64_t size, const char *name, uint32_t rank)
{
    const size_t length = name ? strlen(name) + 1 : 0;
    char *copy = name ? room_for(table, length) : NULL;
    struct symbol_entry *entry =
        copy || !name ? list_add((void **)&table->entries, &table->count, &table->room, sizeof(*entry)) : NULL;
    if (!entry) {
        table->no_memory = true;
        return;
    }
    if (name)
        memcpy(copy, name, length);
    *entry = (struct symbol_entry){begin, begin + size < begin ? UINT64_MAX : begin + size, copy, rank};
}

/* Of entries with one address the best one comes first. */
static int compare(const void *left, const void *right)
{
    const struct symbol_entry *a = left, *b = right;
    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (!a->name || !b->name)
        return (a->name == NULL) - (b->name == NULL);
    return strcmp(a->name, b->name);
}

static void add_alias(struct symbol_table *table, const struct symbol_entry *kept, const struct symbol_entry *dropped)
{
    if (!kept->name || !dropped->name || !strcmp(kept->name, dropped->name))
        return;
    struct symbol_alias *alias =
        list_add((void **)&table->aliases, &table->nr_aliases, &table->alias_room, sizeof(*alias));
    if (alias)
        *alias = (struct symbol_alias){dropped->name, kept->name};
    else
        table->no_memory = true;
}

void symbol_table_finish(struct symbol_table *table)
{
    size_t kept = 0;
    if (table->count)
        qsort(table->entries, table->count, sizeof(*table->entries), compare);
    for (size_t i = 0; i < table->count; i++) {
        struct symbol_entry *last = kept ? &table->entries[kept - 1] : NULL;
        if (last && last->begin == table->entries[i].begin) {
            if (last->end == last->begin) /* this one has the size */
                last->end = table->entries[i].end;
            add_alias(table, last, &table->entries[i]);
            continue;
        }
        if (last && last->name && !table->entries[i].name && table->entries[i].begin < last->end)
            continue;
        table->entries[kept++] = table->entries[i];
    }
    table->count = kept;
    for (size_t i = 0; i + 1 < kept; i++) {
        struct symbol_entry *entry = &table->entries[i];
        if (entry->end == entry->begin || entry->end > entry[1].begin)
            entry->end = entry[1].begin;
    }
    if (kept && table->entries[kept - 1].end == table->entries[kept - 1].begin)
        table->entries[kept - 1].end = UINT64_MAX;
}

void symbol_table_free(struct symbol_table *table)
{
    while (table->chunks) {
        struct symbol_chunk *next = table->chunks->next;
        free(table->chunks);
        table->chunks = next;
    }
    free(table->entries);
    free(table->aliases);
    *table = (struct symbol_table){0};
}

const struct symbol_entry *symbol_table_find(const struct symbol_table *table, uint64_t address, uint64_t *begin,
                                             uint64_t *end)
{
    const size_t after = LIST_AFTER(table->entries, table->count, struct symbol_entry, begin, address);
    const struct symbol_entry *before = after ? &table->entries[after - 1] : NULL;
    if (before && address < before->end)
        return before;
    if (before && before->end > *begin)
        *begin = before->end;
    if (after < table->count && table->entries[after].begin < *end)
        *end = table->entries[after].begin;
    return NULL;
}
