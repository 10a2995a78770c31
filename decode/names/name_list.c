/* All names that were returned, each once, by number and by what identifies it. */
#include <stdlib.h>

#include "decode/capture/list.h"
#include "decode/names/names_state.h"
#include "decode/names/symbol_match.h"

#define CHUNK 4096u
#define LEAST_SIZE 8192u

static struct name_key *slot_of(const struct name_list *list, const char *object, const char *symbol, uint64_t begin)
{
    const uint64_t hash = (begin ^ (uintptr_t)object * 31 ^ (uintptr_t)symbol * 7) * 0x9e3779b97f4a7c15ull;
    size_t at = (size_t)(hash ^ hash >> 32) & (list->size - 1);
    for (;; at = (at + 1) & (list->size - 1)) {
        struct name_key *key = &list->table[at];
        if (!key->name || (key->begin == begin && key->object == object && key->symbol == symbol))
            return key;
    }
}

static bool grow(struct name_list *list)
{
    const struct name_list old = *list;
    const size_t size = old.size ? 2 * old.size : LEAST_SIZE;
    struct name_key *table = calloc(size, sizeof(*table));
    if (!table)
        return false;
    list->table = table;
    list->size = size;
    for (size_t i = 0; i < old.size; i++)
        if (old.table[i].name)
            *slot_of(list, old.table[i].object, old.table[i].symbol, old.table[i].begin) = old.table[i];
    free(old.table);
    return true;
}

static struct name *new_name(struct name_list *list)
{
    if (list->count == list->nr_chunks * CHUNK) {
        struct name *chunk = malloc(CHUNK * sizeof(*chunk));
        struct name **place =
            chunk ? list_add((void **)&list->chunks, &list->nr_chunks, &list->chunk_room, sizeof(*place)) : NULL;
        if (!place) {
            free(chunk);
            return NULL;
        }
        *place = chunk;
    }
    return &list->chunks[list->count / CHUNK][list->count % CHUNK];
}

const struct name *name_list_get(struct name_list *list, const char *object, const char *symbol, uint64_t begin,
                                 uint64_t end)
{
    if ((list->count + 1) * 2 > list->size && !grow(list))
        return NULL;
    struct name_key *key = slot_of(list, object, symbol, begin);
    if (key->name)
        return key->name;
    struct name *name = list->count < UINT32_MAX ? new_name(list) : NULL;
    if (!name)
        return NULL;
    char *decoded = symbol ? symbol_demangle(symbol) : NULL;
    *name = (struct name){begin, end, symbol, object, (uint32_t)list->count++, decoded ? decoded : symbol};
    *key = (struct name_key){object, symbol, begin, name};
    return name;
}

void name_list_free(struct name_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        struct name *name = &list->chunks[i / CHUNK][i % CHUNK];
        if (name->shown != name->symbol)
            free((char *)name->shown);
    }
    for (size_t i = 0; i < list->nr_chunks; i++)
        free(list->chunks[i]);
    free(list->chunks);
    free(list->table);
    *list = (struct name_list){0};
}

size_t names_count(const struct names *names)
{
    return names->list.count;
}

const struct name *names_by_number(const struct names *names, uint32_t number)
{
    return &names->list.chunks[number / CHUNK][number % CHUNK];
}
