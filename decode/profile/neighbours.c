#include "decode/profile/neighbours.h"

#include <stdlib.h>

#include "decode/capture/list.h"

static bool add(struct profile_neighbour **items, size_t *count, size_t *room, struct profile_neighbour neighbour)
{
    void *more = *items;
    struct profile_neighbour *item = list_add(&more, count, room, sizeof(*item));
    *items = more;
    if (item)
        *item = neighbour;
    return item != NULL;
}

static int by_branches(const void *left, const void *right)
{
    const struct profile_neighbour *a = left, *b = right;
    if (a->branches != b->branches)
        return a->branches < b->branches ? 1 : -1;
    return a->calls < b->calls ? 1 : a->calls > b->calls ? -1 : 0;
}

bool profile_neighbours_find(struct profile_neighbours *neighbours, const struct call_pairs *pairs,
                             const struct name *name)
{
    struct profile_neighbours *n = neighbours;
    bool good = true;
    *n = (struct profile_neighbours){0};
    for (size_t i = 0; i < pairs->count && good; i++) {
        const struct call_pair *pair = &pairs->items[i];
        const struct node_sums *sums = &pair->of_callee;
        if (pair->callee == name)
            good = add(&n->callers, &n->nr_callers, &n->callers_room,
                       (struct profile_neighbour){pair->caller, pair->calls, sums->branches, sums->ticks});
        sums = &pair->of_caller;
        if (pair->caller == name && pair->callee != name)
            good = good && add(&n->callees, &n->nr_callees, &n->callees_room,
                               (struct profile_neighbour){pair->callee, pair->calls, sums->branches, sums->ticks});
    }
    if (n->callers)
        qsort(n->callers, n->nr_callers, sizeof(*n->callers), by_branches);
    if (n->callees)
        qsort(n->callees, n->nr_callees, sizeof(*n->callees), by_branches);
    return good;
}

void profile_neighbours_free(struct profile_neighbours *neighbours)
{
    free(neighbours->callers);
    free(neighbours->callees);
    *neighbours = (struct profile_neighbours){0};
}
