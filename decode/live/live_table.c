#include "decode/live/live_table.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SIZE 1024u

static size_t hash_of(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325ull; /* FNV-1a */
    for (; *text; text++)
        hash = (hash ^ (uint8_t)*text) * 0x100000001b3ull;
    return (size_t)(hash ^ hash >> 32);
}

/* The row with this text, or the free slot for it. */
static struct live_row *row_of(struct live_row *rows, size_t size, const char *text)
{
    size_t at = hash_of(text) & (size - 1);
    while (rows[at].text && strcmp(rows[at].text, text) != 0)
        at = (at + 1) & (size - 1);
    return &rows[at];
}

static bool grow(struct live_table *table)
{
    const size_t size = table->size ? 2 * table->size : FIRST_SIZE;
    if (2 * table->used < table->size)
        return true;
    struct live_row *rows = calloc(size, sizeof(*rows));
    if (!rows)
        return false;
    for (size_t i = 0; i < table->size; i++)
        if (table->rows[i].text)
            *row_of(rows, size, table->rows[i].text) = table->rows[i];
    free(table->rows);
    table->rows = rows;
    table->size = size;
    return true;
}

void live_table_add(struct live_table *table, const char *text, uint64_t branches)
{
    struct live_row *row = grow(table) ? row_of(table->rows, table->size, text) : NULL;
    if (row && !row->text && (row->text = strdup(text)))
        table->used++;
    if (!row || !row->text) {
        table->full = true;
        return;
    }
    row->branches += branches;
    table->branches += branches;
}

void live_table_turn(struct live_table *table)
{
    table->now = 0;
    for (size_t i = 0; i < table->size; i++) {
        struct live_row *row = &table->rows[i];
        row->now = row->branches - row->before;
        row->before = row->branches;
        table->now += row->now;
    }
}

static bool is_before(const struct live_row *a, const struct live_row *b, enum live_order order)
{
    if (order == LIVE_BY_NOW && a->now != b->now)
        return a->now > b->now;
    if (a->branches != b->branches)
        return a->branches > b->branches;
    return strcmp(a->text, b->text) < 0;
}

size_t live_table_top(const struct live_table *table, enum live_order order, struct live_row *top, size_t max)
{
    size_t count = 0;
    for (size_t i = 0; i < table->size && max > 0; i++) {
        const struct live_row *row = &table->rows[i];
        if (!row->text || (count == max && !is_before(row, &top[count - 1], order)))
            continue;
        size_t at = count < max ? count++ : count - 1;
        for (; at > 0 && is_before(row, &top[at - 1], order); at--)
            top[at] = top[at - 1];
        top[at] = *row;
    }
    return count;
}

void live_table_free(struct live_table *table)
{
    for (size_t i = 0; i < table->size; i++)
        free(table->rows[i].text);
    free(table->rows);
    *table = (struct live_table){0};
}
