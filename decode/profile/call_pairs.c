#include "decode/profile/call_pairs.h"

#include <stdlib.h>

#include "decode/capture/list.h"
#include "decode/profile/profile_walk.h"

/* The pass over the tree. A node is open while the nodes below it are visited. */
struct pass {
    const struct profile *profile;
    struct call_pairs *pairs;
    struct node_sums *sums;
    uint32_t *places; /* a table of pairs, plus 1; 0: free */
    size_t size;
    uint32_t *open;  /* for each function the innermost open node, 0: none */
    uint32_t *outer; /* for each open node the next open one of its function, 0: none */
    uint32_t *step;  /* for each open node the open one below it */
    bool no_memory;
};

static size_t place_of(const struct pass *pass, const struct name *caller, const struct name *callee)
{
    const uint64_t key = (caller ? caller->number + 1ull : 0) << 32 | callee->number;
    size_t at = (size_t)(key * 0x9e3779b97f4a7c15ull >> 24) & (pass->size - 1);
    for (uint32_t pair; (pair = pass->places[at]) != 0; at = (at + 1) & (pass->size - 1))
        if (pass->pairs->items[pair - 1].caller == caller && pass->pairs->items[pair - 1].callee == callee)
            break;
    return at;
}

static bool grow(struct pass *pass)
{
    if (2 * (pass->pairs->count + 1) <= pass->size)
        return true;
    uint32_t *more = calloc(2 * pass->size, sizeof(*more));
    if (!more)
        return false;
    free(pass->places);
    pass->places = more;
    pass->size *= 2;
    for (uint32_t i = 0; i < pass->pairs->count; i++)
        pass->places[place_of(pass, pass->pairs->items[i].caller, pass->pairs->items[i].callee)] = i + 1;
    return true;
}

/* NULL: no memory. */
static struct call_pair *pair_of(struct pass *pass, const struct name *caller, const struct name *callee)
{
    struct call_pairs *pairs = pass->pairs;
    void *items = pairs->items;
    const size_t at = grow(pass) ? place_of(pass, caller, callee) : SIZE_MAX;
    if (at != SIZE_MAX && pass->places[at])
        return &pairs->items[pass->places[at] - 1];
    struct call_pair *pair = at != SIZE_MAX ? list_add(&items, &pairs->count, &pairs->room, sizeof(*pair)) : NULL;
    pairs->items = items;
    pass->no_memory |= !pair;
    if (!pair)
        return NULL;
    *pair = (struct call_pair){.caller = caller, .callee = callee};
    pass->places[at] = (uint32_t)pairs->count;
    return pair;
}

static void enter(void *context, uint32_t at)
{
    struct pass *pass = context;
    const struct profile_node *nodes = pass->profile->nodes, *node = &nodes[at];
    const struct name *caller = nodes[node->parent].name;
    const struct node_sums *sums = &pass->sums[at];
    const uint32_t outer = pass->open[node->name->number];
    struct call_pair *pair = pair_of(pass, caller, node->name);
    pass->step[node->parent] = at;
    if (!pair)
        return;
    pair->calls += node->calls;
    if (!outer) {
        pair->of_callee.branches += sums->branches;
        pair->of_callee.ticks += sums->ticks;
    }
    if (caller && caller != node->name) {
        pair->of_caller.branches += sums->branches;
        pair->of_caller.ticks += sums->ticks;
    }
    /* What the outer call called costs less by this one, which is no cost of a callee, but the function's own. */
    const uint32_t through = outer ? pass->step[outer] : 0;
    struct call_pair *above = through && through != at ? pair_of(pass, node->name, nodes[through].name) : NULL;
    if (above) {
        above->of_caller.branches -= sums->branches;
        above->of_caller.ticks -= sums->ticks;
    }
    pass->outer[at] = outer;
    pass->open[node->name->number] = at;
}

static void leave(void *context, uint32_t at)
{
    struct pass *pass = context;
    pass->open[pass->profile->nodes[at].name->number] = pass->outer[at];
}

static size_t count_numbers(const struct profile *profile)
{
    size_t count = 0;
    for (size_t i = 1; i < profile->nr_nodes; i++)
        if (profile->nodes[i].name && profile->nodes[i].name->number >= count)
            count = profile->nodes[i].name->number + 1;
    return count;
}

bool call_pairs_make(struct call_pairs *pairs, const struct profile *profile)
{
    *pairs = (struct call_pairs){0};
    struct pass pass = {.profile = profile,
                        .pairs = pairs,
                        .sums = node_sums(profile),
                        .places = calloc(1024, sizeof(*pass.places)),
                        .size = 1024,
                        .open = calloc(count_numbers(profile) + 1, sizeof(*pass.open)),
                        .outer = calloc(profile->nr_nodes, sizeof(*pass.outer)),
                        .step = calloc(profile->nr_nodes, sizeof(*pass.step))};
    const struct profile_visitor visitor = {enter, leave, &pass};
    const bool good = pass.sums && pass.places && pass.open && pass.outer && pass.step;
    for (size_t i = 1; i < profile->nr_processes && good; i++)
        profile_walk(profile, profile->processes[i].root, &visitor);
    free(pass.sums);
    free(pass.places);
    free(pass.open);
    free(pass.outer);
    free(pass.step);
    return good && !pass.no_memory;
}

void call_pairs_free(struct call_pairs *pairs)
{
    free(pairs->items);
    *pairs = (struct call_pairs){0};
}
