/* Sums of each function over all its callers. */
#include <stdlib.h>

#include "decode/profile/node_sums.h"
#include "decode/profile/profile.h"
#include "decode/profile/profile_walk.h"

struct sums {
    const struct profile *profile;
    struct profile_function *functions; /* by number of their names */
    uint32_t *open;                     /* how often each occurs on the path from the root to the current node */
    struct node_sums *totals;
};

static uint32_t highest_number(const struct profile *profile)
{
    uint32_t highest = 0;
    for (size_t i = 1; i < profile->nr_nodes; i++)
        if (profile->nodes[i].name && profile->nodes[i].name->number > highest)
            highest = profile->nodes[i].name->number;
    return highest;
}

static void take_node(const struct sums *sums, uint32_t number)
{
    const struct profile_node *node = &sums->profile->nodes[number];
    struct profile_function *function = &sums->functions[node->name->number];
    function->name = node->name;
    function->calls += node->calls;
    function->branches += node->branches;
    function->ticks += node->ticks;
    if (sums->open[node->name->number] > 0)
        return;
    function->total_branches += sums->totals[number].branches;
    function->total_ticks += sums->totals[number].ticks;
}

static void enter(void *context, uint32_t node)
{
    const struct sums *sums = context;
    take_node(sums, node);
    sums->open[sums->profile->nodes[node].name->number]++;
}

static void leave(void *context, uint32_t node)
{
    const struct sums *sums = context;
    sums->open[sums->profile->nodes[node].name->number]--;
}

static int compare(const void *left, const void *right)
{
    const struct profile_function *a = left, *b = right;
    if (a->branches != b->branches)
        return a->branches < b->branches ? 1 : -1;
    return a->name->begin < b->name->begin ? -1 : a->name->begin > b->name->begin;
}

struct profile_function *profile_functions(const struct profile *profile, uint32_t root, size_t *count)
{
    const size_t nr_names = (size_t)highest_number(profile) + 1;
    struct sums sums = {.profile = profile,
                        .functions = calloc(nr_names, sizeof(*sums.functions)),
                        .open = calloc(nr_names, sizeof(*sums.open)),
                        .totals = node_sums(profile)};
    const struct profile_visitor visitor = {enter, leave, &sums};
    *count = 0;
    if (sums.functions && sums.open && sums.totals) {
        for (size_t i = 1; i < profile->nr_processes; i++)
            if (!root || profile->processes[i].root == root)
                profile_walk(profile, profile->processes[i].root, &visitor);
        for (size_t i = 0; i < nr_names; i++)
            if (sums.functions[i].name)
                sums.functions[(*count)++] = sums.functions[i];
        qsort(sums.functions, *count, sizeof(*sums.functions), compare);
    } else {
        free(sums.functions);
        sums.functions = NULL;
    }
    free(sums.open);
    free(sums.totals);
    return sums.functions;
}
