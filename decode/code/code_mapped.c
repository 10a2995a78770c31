#include "decode/code/code_mapped.h"

#include <stdlib.h>

static int order(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int compare_runs(const void *left, const void *right)
{
    const struct mapped_run *a = left, *b = right;
    if (a->gpa != b->gpa)
        return order(a->gpa, b->gpa);
    if (a->map->from != b->map->from)
        return order(a->map->from, b->map->from);
    if (a->map->number != b->map->number)
        return order(a->map->number, b->map->number);
    return order(a->run->linear, b->run->linear);
}

static void add_runs(struct code_mapped *mapped, const struct code_map *map)
{
    for (size_t i = 0; i < map->nr_runs && !map->wide.pages; i++) {
        const struct record_map_run *run = &map->runs[i];
        mapped->items[mapped->count++] =
            (struct mapped_run){run->gpa, run->gpa + (uint64_t)run->pages * RECORD_PAGE_SIZE, map, run};
    }
}

static void fill_tree(struct code_mapped *mapped)
{
    for (size_t i = 0; i < mapped->count; i++)
        mapped->farthest[mapped->leaves + i] = mapped->items[i].end;
    for (size_t n = mapped->leaves - 1; n > 0; n--) {
        const uint64_t *below = &mapped->farthest[2 * n];
        mapped->farthest[n] = below[0] > below[1] ? below[0] : below[1];
    }
}

bool code_mapped_build(struct code_mapped *mapped, const struct code_map *maps, size_t nr_maps)
{
    size_t room = 0;
    *mapped = (struct code_mapped){.leaves = 1};
    for (size_t i = 0; i < nr_maps; i++)
        room += maps[i].wide.pages ? 0 : maps[i].nr_runs;
    while (mapped->leaves < room)
        mapped->leaves *= 2;
    mapped->items = calloc(room ? room : 1, sizeof(*mapped->items));
    mapped->farthest = calloc(mapped->leaves, 2 * sizeof(*mapped->farthest));
    if (!mapped->items || !mapped->farthest) {
        code_mapped_free(mapped);
        return false;
    }
    for (size_t i = 0; i < nr_maps; i++)
        add_runs(mapped, &maps[i]);
    qsort(mapped->items, mapped->count, sizeof(*mapped->items), compare_runs);
    fill_tree(mapped);
    return true;
}

void code_mapped_free(struct code_mapped *mapped)
{
    free(mapped->items);
    free(mapped->farthest);
    *mapped = (struct code_mapped){0};
}

/* The next node to the right: the highest one whose subtree begins right after this one's. 0: there is none. */
static size_t node_after(size_t node)
{
    while (node & 1)
        node /= 2;
    return node ? node + 1 : 0;
}

const struct mapped_run *code_mapped_next(const struct code_mapped *mapped, size_t index, uint64_t gpa)
{
    if (index >= mapped->count)
        return NULL;
    size_t node = mapped->leaves + index;
    while (node && mapped->farthest[node] <= gpa)
        node = node_after(node);
    if (!node)
        return NULL;
    while (node < mapped->leaves)
        node = mapped->farthest[2 * node] > gpa ? 2 * node : 2 * node + 1;
    const struct mapped_run *found = &mapped->items[node - mapped->leaves];
    return found->gpa <= gpa ? found : NULL;
}
