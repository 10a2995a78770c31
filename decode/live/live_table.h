/* Things with names, and how many branches each has executed: in all, and in the last interval. Pure. */
#ifndef DECODE_LIVE_LIVE_TABLE_H
#define DECODE_LIVE_LIVE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct live_row {
    char *text;        /* owned by the table; NULL: the slot is free */
    uint64_t branches; /* in all */
    uint64_t before;   /* ... when the last interval began, and ended */
    uint64_t now;      /* in the last interval */
};

struct live_table {
    struct live_row *rows;
    size_t size; /* a power of two, or 0 */
    size_t used;
    uint64_t branches, now; /* of all rows */
    bool full;              /* memory ran out: some branches are in no row */
};

/* Add branches to the row with this text. */
void live_table_add(struct live_table *table, const char *text, uint64_t branches);

/* An interval ends, and the next one begins. */
void live_table_turn(struct live_table *table);

/* The rows with the most branches, in the last interval or in all; equal ones by those in all, then by text. Returns
 * how many there are, at most max; their texts are the table's. */
enum live_order { LIVE_BY_NOW, LIVE_BY_ALL };
size_t live_table_top(const struct live_table *table, enum live_order order, struct live_row *top, size_t max);

void live_table_free(struct live_table *table);

#endif
