#include "decode/code/code_alias.h"

#include <stdlib.h>
#include <string.h>

#define LARGE_PAGE (2ull << 20)

static int alias_compare(const void *left, const void *right)
{
    const struct alias *a = left, *b = right;
    if (a->gpa != b->gpa)
        return a->gpa < b->gpa ? -1 : 1;
    return a->gva < b->gva ? -1 : a->gva > b->gva;
}

static int gva_compare(const void *left, const void *right)
{
    const struct alias *a = left, *b = right;
    if (a->gva != b->gva)
        return a->gva < b->gva ? -1 : 1;
    return a->gpa < b->gpa ? -1 : a->gpa > b->gpa;
}

static void sort_unique(struct aliases *aliases)
{
    size_t kept = 0;
    qsort(aliases->items, aliases->count, sizeof(*aliases->items), alias_compare);
    for (size_t i = 0; i < aliases->count; i++)
        if (kept == 0 || alias_compare(&aliases->items[kept - 1], &aliases->items[i]))
            aliases->items[kept++] = aliases->items[i];
    aliases->count = kept;
}

static bool order_by_gva(struct aliases *aliases)
{
    aliases->by_gva = malloc((aliases->count + 1) * sizeof(*aliases->by_gva));
    if (!aliases->by_gva)
        return false;
    memcpy(aliases->by_gva, aliases->items, aliases->count * sizeof(*aliases->by_gva));
    qsort(aliases->by_gva, aliases->count, sizeof(*aliases->by_gva), gva_compare);
    return true;
}

static bool aliases_reserve(struct aliases *aliases, size_t *room, size_t more)
{
    if (aliases->count + more <= *room)
        return true;
    *room = 2 * (aliases->count + more);
    struct alias *items = realloc(aliases->items, *room * sizeof(*items));
    if (!items)
        return false;
    aliases->items = items;
    return true;
}

/* The distances between linear and physical addresses, multiples of 2 MiB, in pairs [from, to). Returns how many. */
static size_t large_distances(uint64_t *distances, size_t max, const struct alias *items, size_t from, size_t to)
{
    size_t n = 0;
    for (size_t i = from; i < to && n < max; i++) {
        uint64_t distance = items[i].gva - items[i].gpa;
        size_t known = 0;
        while (known < n && distances[known] != distance)
            known++;
        if (known == n && distance % LARGE_PAGE == 0)
            distances[n++] = distance;
    }
    return n;
}

/* Infer pairs for the pages of one 2 MiB of physical memory, whose pairs are [from, to): each page gets each distance
 * that another page of them has. */
static bool aliases_infer(struct aliases *aliases, size_t *room, size_t from, size_t to)
{
    uint64_t distances[8];
    size_t n = large_distances(distances, sizeof(distances) / sizeof(distances[0]), aliases->items, from, to);
    if (n < 2)
        return true;
    if (!aliases_reserve(aliases, room, n * (to - from)))
        return false;
    for (size_t i = from; i < to; i++)
        for (size_t k = 0; k < n; k++)
            aliases->items[aliases->count++] =
                (struct alias){aliases->items[i].gpa, aliases->items[i].gpa + distances[k]};
    return true;
}

bool aliases_find(struct aliases *aliases, const struct page_record *records, size_t count)
{
    size_t room = 0;
    *aliases = (struct aliases){0};
    if (!aliases_reserve(aliases, &room, count + 1))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!records[i].root)
            aliases->items[aliases->count++] = (struct alias){records[i].gpa, records[i].gva};
    sort_unique(aliases);
    size_t named = aliases->count;
    for (size_t from = 0, to; from < named; from = to) {
        to = from;
        while (to < named && aliases->items[to].gpa / LARGE_PAGE == aliases->items[from].gpa / LARGE_PAGE)
            to++;
        if (!aliases_infer(aliases, &room, from, to)) {
            aliases_free(aliases);
            return false;
        }
    }
    sort_unique(aliases);
    if (order_by_gva(aliases))
        return true;
    aliases_free(aliases);
    return false;
}

void aliases_free(struct aliases *aliases)
{
    free(aliases->items);
    free(aliases->by_gva);
    *aliases = (struct aliases){0};
}

size_t aliases_at(const struct aliases *aliases, uint64_t gva)
{
    size_t low = 0, high = aliases->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (aliases->by_gva[middle].gva < gva)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
