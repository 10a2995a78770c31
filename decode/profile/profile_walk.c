#include "decode/profile/profile_walk.h"

static void leave(const struct profile_visitor *visitor, uint32_t node)
{
    if (visitor->leave)
        visitor->leave(visitor->context, node);
}

void profile_walk(const struct profile *profile, uint32_t root, const struct profile_visitor *visitor)
{
    const struct profile_node *nodes = profile->nodes;
    uint32_t node = nodes[root].child;
    while (node) {
        visitor->enter(visitor->context, node);
        if (nodes[node].child) {
            node = nodes[node].child;
            continue;
        }
        leave(visitor, node);
        while (node != root && !nodes[node].sibling) {
            node = nodes[node].parent;
            if (node != root)
                leave(visitor, node);
        }
        node = node == root ? 0 : nodes[node].sibling;
    }
}
