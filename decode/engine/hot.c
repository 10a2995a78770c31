#include "decode/engine/hot.h"

#include <stdlib.h>

static struct hot_entry *hot_place(struct hot_entry *entries, size_t size, uint64_t address)
{
    size_t i = (size_t)((address * 0x9e3779b97f4a7c15ull) >> 20) & (size - 1);
    while (entries[i].count && entries[i].address != address)
        i = (i + 1) & (size - 1);
    return &entries[i];
}

static void hot_grow(struct hot *hot)
{
    size_t size = hot->size ? hot->size * 2 : 4096;
    struct hot_entry *entries = calloc(size, sizeof(*entries));
    if (!entries) {
        hot->full = true;
        return;
    }
    for (size_t i = 0; i < hot->size; i++)
        if (hot->entries[i].count)
            *hot_place(entries, size, hot->entries[i].address) = hot->entries[i];
    free(hot->entries);
    hot->entries = entries;
    hot->size = size;
}

void hot_add(struct hot *hot, uint64_t address, uint64_t count)
{
    if (hot->used * 2 >= hot->size && !hot->full)
        hot_grow(hot);
    if (hot->size == 0)
        return;
    struct hot_entry *entry = hot_place(hot->entries, hot->size, address);
    if (entry->count == 0) {
        /* The last free place stays free, so that looking ends. */
        if (hot->used + 1 >= hot->size)
            return;
        entry->address = address;
        hot->used++;
    }
    entry->count += count;
}

void hot_merge(struct hot *hot, const struct hot *other)
{
    for (size_t i = 0; i < other->size; i++)
        if (other->entries[i].count)
            hot_add(hot, other->entries[i].address, other->entries[i].count);
    hot->full = hot->full || other->full;
}

static bool hot_before(const struct hot_entry *a, const struct hot_entry *b)
{
    return a->count > b->count || (a->count == b->count && a->address < b->address);
}

size_t hot_top(const struct hot *hot, struct hot_entry *top, size_t max)
{
    size_t n = 0;
    for (size_t i = 0; i < hot->size; i++) {
        const struct hot_entry *entry = &hot->entries[i];
        if (entry->count == 0 || (n == max && !hot_before(entry, &top[max - 1])))
            continue;
        size_t at = n < max ? n++ : max - 1;
        while (at > 0 && hot_before(entry, &top[at - 1])) {
            top[at] = top[at - 1];
            at--;
        }
        top[at] = *entry;
    }
    return n;
}

void hot_free(struct hot *hot)
{
    free(hot->entries);
    *hot = (struct hot){0};
}
