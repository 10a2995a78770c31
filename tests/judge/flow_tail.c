#include "tests/judge/flow_tail.h"

#include <string.h>

void flow_tail_drop(struct flow_tail *tail, size_t count)
{
    for (size_t i = 0; i < count; i++)
        tail->instructions -= tail->blocks[i].instructions;
    tail->used -= count;
    memmove(tail->blocks, tail->blocks + count, tail->used * sizeof(*tail->blocks));
}

size_t flow_tail_find(const struct flow_tail *tail, size_t from, uint64_t boundary_ip)
{
    for (size_t i = from; i < tail->used; i++)
        if (tail->blocks[i].ip <= boundary_ip && boundary_ip <= tail->blocks[i].end_ip)
            return i;
    return tail->used;
}
