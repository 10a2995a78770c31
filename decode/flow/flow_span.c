#include "decode/flow/flow_span.h"

bool flow_span_next(struct flow_span *span, size_t *gap, const struct gaps *gaps, uint64_t size)
{
    *span = (struct flow_span){span->end, size};
    /* Missing bytes may be recorded twice, or overlap: the farthest end counts. */
    for (; *gap < gaps->count && gaps->items[*gap].at <= span->begin && span->begin < size; ++*gap) {
        const struct record_gap *item = &gaps->items[*gap];
        uint64_t end = item->size < size - item->at ? item->at + item->size : size;
        span->begin = end > span->begin ? end : span->begin;
    }
    if (*gap < gaps->count && gaps->items[*gap].at < size)
        span->end = gaps->items[*gap].at;
    return span->begin < size;
}
