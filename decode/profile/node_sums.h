/* What nodes of a call tree cost with all below them. Pure. */
#ifndef DECODE_NODE_SUMS_H
#define DECODE_NODE_SUMS_H

#include "decode/profile/profile.h"

struct node_sums {
    uint64_t branches, ticks;
};

/* Of each node, to be freed. NULL: no memory. */
struct node_sums *node_sums(const struct profile *profile);

#endif
