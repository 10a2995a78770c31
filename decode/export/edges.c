#include "decode/export/edges.h"

#include <stdlib.h>

#define FIRST_SIZE 65536u

static size_t hash(bool ran, uint64_t from, uint64_t to, uint64_t space)
{
    const uint64_t mixed = (from * 0x9e3779b97f4a7c15ull ^ (to << 1 | ran)) * 0xff51afd7ed558ccdull ^ space;
    return (size_t)(mixed * 0x9e3779b97f4a7c15ull >> 20);
}

static struct edge *find(const struct edges *edges, bool ran, uint64_t from, uint64_t to, uint64_t space)
{
    size_t at = hash(ran, from, to, space) & (edges->size - 1);
    for (;; at = (at + 1) & (edges->size - 1)) {
        struct edge *edge = &edges->items[at];
        if (edge->count == 0 ||
            (edge->from == from && edge->to == to && edge->space == space && (edge->kind == EDGE_RAN) == ran))
            return edge;
    }
}

static bool grow(struct edges *edges)
{
    const struct edges old = *edges;
    edges->size = old.size ? 2 * old.size : FIRST_SIZE;
    edges->items = calloc(edges->size, sizeof(*edges->items));
    if (!edges->items) {
        *edges = old;
        edges->no_memory = true;
        return false;
    }
    for (size_t i = 0; i < old.size; i++) {
        const struct edge *edge = &old.items[i];
        if (edge->count)
            *find(edges, edge->kind == EDGE_RAN, edge->from, edge->to, edge->space) = *edge;
    }
    free(old.items);
    return true;
}

struct edge *edges_place(struct edges *edges, bool ran, uint64_t from, uint64_t to, uint64_t space)
{
    if (2 * (edges->used + 1) > edges->size && !grow(edges))
        return NULL;
    struct edge *edge = find(edges, ran, from, to, space);
    if (edge->count == 0) {
        *edge = (struct edge){.from = from, .to = to, .space = space, .kind = ran ? EDGE_RAN : EDGE_TAKEN};
        edges->used++;
    }
    return edge;
}

static int compare(const void *left, const void *right)
{
    const struct edge *a = left, *b = right;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    return a->space < b->space ? -1 : a->space > b->space;
}

void edges_sort(struct edges *edges)
{
    size_t count = 0;
    for (size_t i = 0; i < edges->size; i++)
        if (edges->items[i].count)
            edges->items[count++] = edges->items[i];
    edges->size = edges->used = count;
    if (count > 0)
        qsort(edges->items, count, sizeof(*edges->items), compare);
}

void edges_free(struct edges *edges)
{
    free(edges->items);
    *edges = (struct edges){0};
}
