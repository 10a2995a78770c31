#include "decode/engine/flow_ranges.h"

#define MAX_RANGES 4u
enum { RANGE_FILTER = 1, RANGE_STOP = 2 };

bool flow_ranges_trace(const struct flow_input *input, uint64_t ip)
{
    bool filter = false, inside = false;
    for (unsigned i = 0; i < MAX_RANGES; i++) {
        const uint64_t kind = input->range_kinds >> 4 * i & 15;
        const bool here = ip >= input->ranges[2 * i] && ip <= input->ranges[2 * i + 1];
        if (kind == RANGE_STOP && here)
            return false;
        filter |= kind == RANGE_FILTER;
        inside |= kind == RANGE_FILTER && here;
    }
    return inside || !filter;
}
