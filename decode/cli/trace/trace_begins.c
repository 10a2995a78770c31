#include "decode/cli/trace/trace_begins.h"

#include <stdlib.h>

/* Places are numbered from 1 on. */
static bool grow(struct trace_begins *begins)
{
    const uint32_t room = begins->room ? 2 * begins->room : 256;
    uint64_t *more = room < UINT32_MAX / 2 ? realloc(begins->times, (room + 1) * sizeof(*more)) : NULL;
    if (!more)
        return false;
    begins->times = more;
    begins->room = room;
    return true;
}

uint32_t trace_begins_add(struct trace_begins *begins, uint64_t tsc)
{
    uint32_t place = begins->free;
    if (place)
        begins->free = (uint32_t)begins->times[place];
    else if (begins->count < begins->room || grow(begins))
        place = ++begins->count;
    else
        return 0;
    begins->times[place] = tsc;
    return place;
}

bool trace_begins_take(struct trace_begins *begins, uint32_t place, uint64_t *tsc)
{
    if (place == 0)
        return false;
    *tsc = begins->times[place];
    begins->times[place] = begins->free;
    begins->free = place;
    return true;
}

void trace_begins_free(struct trace_begins *begins)
{
    free(begins->times);
    *begins = (struct trace_begins){0};
}
