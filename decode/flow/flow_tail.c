#include "decode/flow/flow_tail.h"

size_t flow_tail_find(const struct flow_tail *tail, uint64_t boundary_ip)
{
    for (size_t i = tail->used; i-- > 0;)
        if (tail->blocks[i].ip == boundary_ip)
            return i;
    for (size_t i = tail->used; i-- > 0;)
        if (tail->blocks[i].ip < boundary_ip && boundary_ip <= tail->blocks[i].end_ip)
            return i;
    return tail->used;
}
