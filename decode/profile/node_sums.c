#include "decode/profile/node_sums.h"

#include <stdlib.h>

struct node_sums *node_sums(const struct profile *profile)
{
    struct node_sums *sums = calloc(profile->nr_nodes, sizeof(*sums));
    /* A node follows its parent in the array. */
    for (size_t i = profile->nr_nodes; sums && i-- > 1;) {
        const struct profile_node *node = &profile->nodes[i];
        sums[i].branches += node->branches;
        sums[i].ticks += node->ticks;
        sums[node->parent].branches += sums[i].branches;
        sums[node->parent].ticks += sums[i].ticks;
    }
    return sums;
}
