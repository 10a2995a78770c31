#include "decode/measure/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/capture/list.h"

static size_t hash_of(const char *text, const struct name *name)
{
    uint64_t hash = name ? name->number + 1 : 0;
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3ull;
    return (size_t)(hash * 0x9e3779b97f4a7c15ull >> 32) % ROWS_HASHES;
}

struct measure_row *measure_rows_find(struct measure_rows *rows, const char *text, const struct name *name)
{
    char key[ROW_TEXT_SIZE];
    snprintf(key, sizeof(key), "%s", text);
    struct measure_row **first = &rows->hashes[hash_of(key, name)];
    for (struct measure_row *row = *first; row; row = row->next)
        if (row->name == name && !strcmp(row->text, key))
            return row;
    struct measure_row *row = calloc(1, sizeof(*row));
    void *items = rows->items;
    struct measure_row **place = row ? list_add(&items, &rows->count, &rows->room, sizeof(*place)) : NULL;
    rows->items = items;
    if (!place) {
        free(row);
        rows->no_memory = true;
        return NULL;
    }
    memcpy(row->text, key, sizeof(key));
    row->name = name;
    row->next = *first;
    *first = *place = row;
    return row;
}

struct order {
    unsigned which;
    bool by_elapsed;
};

static uint64_t weight(const struct measure_row *row, const struct order *order)
{
    const struct measured *measured = &row->measured[order->which];
    return order->by_elapsed ? measured->elapsed : measured->running;
}

static int compare(const void *left, const void *right, void *context)
{
    const struct measure_row *a = *(struct measure_row *const *)left, *b = *(struct measure_row *const *)right;
    const uint64_t weight_a = weight(a, context), weight_b = weight(b, context);
    if (weight_a != weight_b)
        return weight_a < weight_b ? 1 : -1;
    const int order = strcmp(a->text, b->text);
    if (order != 0 || a->name == b->name)
        return order;
    return !a->name || (b->name && a->name->begin < b->name->begin) ? -1 : 1; /* not by when they were found */
}

void measure_rows_sort(struct measure_rows *rows, unsigned which, bool by_elapsed)
{
    struct order order = {which, by_elapsed};
    if (rows->items)
        qsort_r(rows->items, rows->count, sizeof(struct measure_row *), compare, &order);
}

void measure_rows_free(struct measure_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        for (size_t k = 0; k < sizeof(rows->items[i]->measured) / sizeof(struct measured); k++)
            measured_free(&rows->items[i]->measured[k]);
        free(rows->items[i]);
    }
    free(rows->items);
}
