#include "decode/query/run_table.h"

#include <stdlib.h>

#define LEAST_SIZE 4096u

static size_t hash_of(uint64_t begin, uint64_t last, uint32_t space)
{
    uint64_t hash = begin * 0x9e3779b97f4a7c15ull ^ (last - begin) * 0xff51afd7ed558ccdull ^
                    (run_is_shared(begin) ? 0 : space * 0xc4ceb9fe1a85ec53ull);
    return (size_t)(hash ^ hash >> 29);
}

static struct run *find(const struct run_table *table, uint64_t begin, uint64_t last, uint32_t space)
{
    size_t at = hash_of(begin, last, space);
    for (;; at++) {
        struct run *run = &table->items[at & (table->size - 1)];
        if (run->count == 0 ||
            (run->begin == begin && run->last == last && (run->first_space == space || run_is_shared(begin))))
            return run;
    }
}

static bool grow(struct run_table *table)
{
    struct run_table more = {.size = table->size ? 2 * table->size : LEAST_SIZE, .used = table->used};
    more.items = calloc(more.size, sizeof(*more.items));
    if (!more.items)
        return false;
    for (size_t i = 0; i < table->size; i++)
        if (table->items[i].count)
            *find(&more, table->items[i].begin, table->items[i].last, table->items[i].first_space) = table->items[i];
    free(table->items);
    *table = more;
    return true;
}

struct run *run_table_place(struct run_table *table, uint64_t begin, uint64_t last, uint32_t space)
{
    struct run *run = table->size ? find(table, begin, last, space) : NULL;
    if (run && run->count)
        return run;
    if (2 * table->used >= table->size) {
        if (!grow(table))
            return NULL;
        run = find(table, begin, last, space);
    }
    table->used++;
    *run = (struct run){.begin = begin, .last = last, .first_space = space, .last_space = space};
    return run;
}

/* By time where both have one, else in the order of stretches, which is that of CPUs. */
static bool is_before(uint64_t tsc, uint32_t stretch, uint64_t other_tsc, uint32_t other_stretch)
{
    return tsc && other_tsc && tsc != other_tsc ? tsc < other_tsc : stretch < other_stretch;
}

static void add(struct run *sum, const struct run *run)
{
    if (sum->count == 0) {
        *sum = *run;
        return;
    }
    sum->count += run->count;
    if (is_before(run->first_tsc, run->first_stretch, sum->first_tsc, sum->first_stretch)) {
        sum->first_tsc = run->first_tsc;
        sum->first_stretch = run->first_stretch;
        sum->first_space = run->first_space;
    }
    if (!is_before(run->last_tsc, run->last_stretch, sum->last_tsc, sum->last_stretch)) {
        sum->last_tsc = run->last_tsc;
        sum->last_stretch = run->last_stretch;
        sum->last_space = run->last_space;
    }
}

bool run_table_merge(struct run_table *table, const struct run_table *other)
{
    for (size_t i = 0; i < other->size; i++) {
        const struct run *run = &other->items[i];
        if (run->count == 0 || run->instructions == 0)
            continue;
        struct run *place = run_table_place(table, run->begin, run->last, run->first_space);
        if (!place)
            return false;
        add(place, run);
    }
    return true;
}

static int compare_runs(const void *left, const void *right)
{
    const struct run *a = left, *b = right;
    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    if (a->last != b->last)
        return a->last < b->last ? -1 : 1;
    return a->first_space < b->first_space ? -1 : a->first_space > b->first_space;
}

struct run *run_table_sorted(struct run_table *table, size_t *count)
{
    struct run *items = table->items;
    *count = 0;
    for (size_t i = 0; i < table->size; i++)
        if (items[i].count)
            items[(*count)++] = items[i];
    if (*count)
        qsort(items, *count, sizeof(*items), compare_runs);
    *table = (struct run_table){0};
    return items;
}

void run_table_free(struct run_table *table)
{
    free(table->items);
    *table = (struct run_table){0};
}
