#include "decode/profile/neighbours.h"

#include <stdlib.h>

#include "decode/capture/list.h"
#include "decode/profile/node_sums.h"

/* For each node: the nearest node of the function from there up to the root, 0: none; and the node below that one
 * through which it is reached, 0: it is the function's own. */
struct above {
    uint32_t function, callee;
};

/* A node follows its parent in the array. NULL: no memory. */
static struct above *find_above(const struct profile *profile, const struct name *name)
{
    struct above *above = calloc(profile->nr_nodes, sizeof(*above));
    for (size_t i = 1; i < profile->nr_nodes && above; i++) {
        const struct profile_node *node = &profile->nodes[i];
        const struct above parent = above[node->parent];
        if (node->name == name)
            above[i] = (struct above){(uint32_t)i, 0};
        else if (parent.function)
            above[i] = (struct above){parent.function, parent.callee ? parent.callee : (uint32_t)i};
    }
    return above;
}

/* NULL: no memory. Few functions have many neighbours. */
static struct profile_neighbour *neighbour_of(struct profile_neighbour **items, size_t *count, size_t *room,
                                              const struct name *name)
{
    for (size_t i = 0; i < *count; i++)
        if ((*items)[i].name == name)
            return &(*items)[i];
    void *more = *items;
    struct profile_neighbour *neighbour = list_add(&more, count, room, sizeof(*neighbour));
    *items = more;
    if (neighbour)
        *neighbour = (struct profile_neighbour){.name = name};
    return neighbour;
}

/* A node of the function was called so often by the parent's function. outermost: its sums are not part of another
 * node's of the function. */
static bool take_caller(struct profile_neighbours *n, const struct profile *profile, size_t at,
                        const struct node_sums *sums, bool outermost)
{
    const struct profile_node *node = &profile->nodes[at];
    struct profile_neighbour *caller =
        neighbour_of(&n->callers, &n->nr_callers, &n->callers_room, profile->nodes[node->parent].name);
    if (!caller)
        return false;
    caller->calls += node->calls;
    caller->branches += outermost ? sums[at].branches : 0;
    caller->ticks += outermost ? sums[at].ticks : 0;
    return true;
}

/* A node below the function: its own costs belong to the callee through which it is reached. */
static bool take_callee(struct profile_neighbours *n, const struct profile *profile, size_t at, uint32_t through)
{
    const struct profile_node *node = &profile->nodes[at];
    struct profile_neighbour *callee =
        neighbour_of(&n->callees, &n->nr_callees, &n->callees_room, profile->nodes[through].name);
    if (!callee)
        return false;
    callee->calls += at == through ? node->calls : 0;
    callee->branches += node->branches;
    callee->ticks += node->ticks;
    return true;
}

static int by_branches(const void *left, const void *right)
{
    const struct profile_neighbour *a = left, *b = right;
    if (a->branches != b->branches)
        return a->branches < b->branches ? 1 : -1;
    return a->calls < b->calls ? 1 : a->calls > b->calls ? -1 : 0;
}

bool profile_neighbours_find(struct profile_neighbours *neighbours, const struct profile *profile,
                             const struct name *name)
{
    struct node_sums *sums = node_sums(profile);
    struct above *above = find_above(profile, name);
    bool good = sums && above;
    *neighbours = (struct profile_neighbours){0};
    for (size_t i = 1; i < profile->nr_nodes && good; i++) {
        const struct above parent = above[profile->nodes[i].parent];
        if (profile->nodes[i].name == name)
            good = take_caller(neighbours, profile, i, sums, !parent.function);
        else if (above[i].function)
            good = take_callee(neighbours, profile, i, above[i].callee);
    }
    free(sums);
    free(above);
    if (neighbours->callers)
        qsort(neighbours->callers, neighbours->nr_callers, sizeof(*neighbours->callers), by_branches);
    if (neighbours->callees)
        qsort(neighbours->callees, neighbours->nr_callees, sizeof(*neighbours->callees), by_branches);
    return good;
}

void profile_neighbours_free(struct profile_neighbours *neighbours)
{
    free(neighbours->callers);
    free(neighbours->callees);
    *neighbours = (struct profile_neighbours){0};
}
