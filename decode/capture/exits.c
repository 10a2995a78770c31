#include "decode/capture/exits.h"

#include <stdlib.h>
#include <string.h>

#define COUNT_PREFIX "exit."

/* NULL: no room for another reason. */
static struct exits_reason *find_or_add(struct exits *exits, struct record_text name)
{
    size_t i = 0;
    while (i < exits->count &&
           (exits->items[i].name.size != name.size || memcmp(exits->items[i].name.bytes, name.bytes, name.size) != 0))
        i++;
    if (i == EXITS_MAX)
        return NULL;
    if (i == exits->count)
        exits->items[exits->count++] = (struct exits_reason){.name = name};
    return &exits->items[i];
}

/* The line "exit_tsc NUMBER NUMBER ...", in the order of the reasons. false: it is missing or incomplete. */
static bool take_ticks(struct exits *exits, struct record_text end)
{
    struct record_text value;
    if (!text_find(&value, end, "exit_tsc"))
        return false;
    for (size_t i = 0; i < exits->count; i++) {
        const char *blank = memchr(value.bytes, ' ', value.size);
        const size_t length = blank ? (size_t)(blank - value.bytes) : value.size;
        if (!text_number(&exits->items[i].ticks, (struct record_text){value.bytes, length}))
            return false;
        value.bytes += length + (blank ? 1 : 0);
        value.size -= length + (blank ? 1 : 0);
    }
    return value.size == 0;
}

void exits_take(struct exits *exits, struct record_text end)
{
    const size_t length = strlen(COUNT_PREFIX);
    struct text_line line;
    size_t position = 0;
    *exits = (struct exits){.known = end.size > 0};
    while (text_next(&line, end, &position)) {
        uint64_t count;
        if (line.name.size <= length || memcmp(line.name.bytes, COUNT_PREFIX, length) != 0 ||
            !text_number(&count, line.value))
            continue;
        struct exits_reason *reason =
            find_or_add(exits, (struct record_text){line.name.bytes + length, line.name.size - length});
        if (reason)
            reason->count += count;
    }
    exits->timed = take_ticks(exits, end);
}

void exits_add(struct exits *sum, const struct exits *more, bool first)
{
    sum->known = more->known && (first || sum->known);
    sum->timed = more->timed && (first || sum->timed);
    for (size_t i = 0; i < more->count; i++) {
        struct exits_reason *reason = find_or_add(sum, more->items[i].name);
        if (!reason)
            continue;
        reason->count += more->items[i].count;
        reason->ticks += more->items[i].ticks;
    }
}

static int by_cost(const void *left, const void *right)
{
    const struct exits_reason *a = left, *b = right;
    if (a->ticks != b->ticks)
        return a->ticks < b->ticks ? 1 : -1;
    return a->count < b->count ? 1 : a->count > b->count ? -1 : 0;
}

void exits_sort(struct exits *exits)
{
    for (size_t i = 0; i < exits->count && !exits->timed; i++)
        exits->items[i].ticks = 0; /* only some CPUs have ticks */
    qsort(exits->items, exits->count, sizeof(exits->items[0]), by_cost);
}
