#include "decode/foreign/perf_packets.h"

#include <stdlib.h>
#include <string.h>

bool perf_packets_append(struct foreign_file *packets, const uint8_t *bytes, uint64_t size)
{
    uint8_t *grown = realloc(packets->bytes, packets->size + (size_t)size + 1);
    if (!grown)
        return false;
    packets->bytes = grown;
    if (bytes)
        memcpy(grown + packets->size, bytes, (size_t)size);
    else
        memset(grown + packets->size, 0, (size_t)size);
    packets->size += (size_t)size;
    return true;
}

bool perf_packets_gap(struct flow_trace *trace, struct record_gap gap)
{
    struct record_gap *items = realloc(trace->gaps.items, (trace->gaps.count + 1) * sizeof(*items));
    if (!items)
        return false;
    trace->gaps.items = items;
    items[trace->gaps.count++] = gap;
    return true;
}
