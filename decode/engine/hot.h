/* Counting how often addresses occur. Pure. */
#ifndef DECODE_HOT_H
#define DECODE_HOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hot_entry {
    uint64_t address;
    uint64_t count; /* 0: the place is free */
};

struct hot {
    struct hot_entry *entries;
    size_t size; /* a power of two, or 0 */
    size_t used;
    bool full; /* memory ran out: new addresses are not counted */
};

void hot_add(struct hot *hot, uint64_t address, uint64_t count);

/* Add all that other has counted. */
void hot_merge(struct hot *hot, const struct hot *other);

/* The top entries, most frequent first, equal ones by address. Returns how many there are, at most max. */
size_t hot_top(const struct hot *hot, struct hot_entry *top, size_t max);

void hot_free(struct hot *hot);

#endif
