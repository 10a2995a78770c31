/* The call tree is cut where its branches become small: the largest nodes are kept. A node is never larger than its
 * parent, so the kept nodes are connected. */
#include <stdlib.h>

#include "decode/page/page_state.h"
#include "decode/profile/node_sums.h"

static int compare(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? 1 : a > b ? -1 : 0;
}

/* Find the minimum size of kept nodes. false: out of memory. */
static bool find_least(uint64_t *least, const struct profile *profile, const struct node_sums *sums, size_t most)
{
    *least = 0;
    if (profile->nr_nodes <= most)
        return true;
    uint64_t *sizes = malloc(profile->nr_nodes * sizeof(*sizes));
    if (!sizes)
        return false;
    for (size_t i = 0; i < profile->nr_nodes; i++)
        sizes[i] = sums[i].branches;
    qsort(sizes, profile->nr_nodes, sizeof(*sizes), compare);
    *least = sizes[most] + 1;
    free(sizes);
    return true;
}

struct cut {
    struct page_tree *tree;
    uint32_t *places; /* the tree's node of each node of the profile; 0: not kept */
    uint32_t *rests;  /* for each node of the tree, the sum of its small children; 0: none */
};

static uint32_t add_node(struct page_tree *tree, struct page_node node)
{
    tree->nodes[tree->count] = node;
    return (uint32_t)tree->count++;
}

/* Add a node and everything below it to the sum of its parent. */
static void sum_up(const struct cut *cut, uint32_t parent, const struct profile_node *node)
{
    uint32_t *rest = &cut->rests[parent];
    if (*rest == 0)
        *rest = add_node(cut->tree, (struct page_node){.parent = parent, .name = PAGE_NO_NAME});
    struct page_node *sum = &cut->tree->nodes[*rest];
    sum->calls++;
    sum->branches += node->branches;
    sum->ticks += node->ticks;
    cut->tree->merged++;
}

static void cut_nodes(const struct cut *cut, const struct profile *profile, const struct node_sums *sums,
                      uint64_t least)
{
    uint32_t *nearest = cut->places; /* also for a node that is not kept: its nearest kept ancestor */
    for (size_t i = 1; i < profile->nr_nodes; i++) {
        const struct profile_node *node = &profile->nodes[i];
        const bool kept = sums[i].branches >= least || !node->name;
        const uint32_t parent = node->parent ? nearest[node->parent] : 0;
        if (kept)
            nearest[i] = add_node(cut->tree, (struct page_node){.parent = parent,
                                                                .name = node->name ? node->name->number : PAGE_NO_NAME,
                                                                .entry = (uint8_t)node->entry,
                                                                .calls = node->calls,
                                                                .branches = node->branches,
                                                                .ticks = node->ticks});
        else
            nearest[i] = parent;
        if (!kept)
            sum_up(cut, parent, node);
    }
}

bool page_tree_make(struct page_tree *tree, const struct profile *profile, size_t most)
{
    uint64_t least;
    *tree = (struct page_tree){.count = 1};
    struct node_sums *sums = node_sums(profile);
    /* Each node may have one additional child with a sum. */
    tree->nodes = calloc(2 * profile->nr_nodes + 1, sizeof(*tree->nodes));
    tree->roots = calloc(profile->nr_processes + 1, sizeof(*tree->roots));
    const struct cut cut = {tree, calloc(profile->nr_nodes, sizeof(*cut.places)),
                            calloc(2 * profile->nr_nodes + 1, sizeof(*cut.rests))};
    const bool good =
        sums && tree->nodes && tree->roots && cut.places && cut.rests && find_least(&least, profile, sums, most);
    if (good) {
        cut_nodes(&cut, profile, sums, least);
        for (size_t i = 1; i < profile->nr_processes; i++)
            tree->roots[i] = cut.places[profile->processes[i].root];
    }
    free(cut.places);
    free(cut.rests);
    free(sums);
    return good;
}

void page_tree_free(struct page_tree *tree)
{
    free(tree->nodes);
    free(tree->roots);
}
