#include "decode/measure/slowest.h"

#include <string.h>

bool slowest_has_room(const struct slowest *slowest, uint64_t elapsed)
{
    return slowest->count < SLOWEST_COUNT || elapsed >= slowest->items[SLOWEST_COUNT - 1].elapsed;
}

static bool comes_before(const struct slow_call *a, const struct slow_call *b)
{
    return a->elapsed != b->elapsed ? a->elapsed > b->elapsed : a->begin < b->begin;
}

void slowest_add(struct slowest *slowest, const struct slow_call *call)
{
    size_t at = slowest->count;
    while (at > 0 && comes_before(call, &slowest->items[at - 1]))
        at--;
    if (at == SLOWEST_COUNT)
        return;
    if (slowest->count < SLOWEST_COUNT)
        slowest->count++;
    memmove(&slowest->items[at + 1], &slowest->items[at], (slowest->count - 1 - at) * sizeof(*call));
    slowest->items[at] = *call;
}
