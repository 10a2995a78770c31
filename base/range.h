/* A range of physical addresses. */
#ifndef BASE_RANGE_H
#define BASE_RANGE_H

#include <stdbool.h>
#include <stdint.h>

/* [start, end), in bytes. */
struct range {
    uint64_t start, end;
};

static inline bool range_overlaps(struct range a, struct range b)
{
    return a.start < b.end && b.start < a.end;
}

#endif
