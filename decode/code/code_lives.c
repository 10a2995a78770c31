#include "decode/code/code_lives.h"

#include <stdlib.h>

static int order(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int compare_ends(const void *left, const void *right)
{
    const struct code_map *a = left, *b = right;
    return a->space != b->space ? order(a->space, b->space) : order(a->number, b->number);
}

static int compare_stretches(const void *left, const void *right)
{
    const struct code_stretch *a = left, *b = right;
    if (a->space != b->space)
        return order(a->space, b->space);
    if (a->linear != b->linear)
        return order(a->linear, b->linear);
    return a->size != b->size ? order(a->size, b->size) : order(a->number, b->number);
}

/* The first end of the space behind the number, or behind all of it. */
static size_t end_behind(const struct code_map *ends, size_t nr, uint64_t space, uint64_t number)
{
    size_t low = 0, high = nr;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        bool before = ends[middle].space != space ? ends[middle].space < space : ends[middle].number <= number;
        if (before)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool same_stretch(const struct code_map *end, const struct code_stretch *told)
{
    return end->space == told->space && end->linear == told->linear && end->size == told->size;
}

/* Those of one stretch come by rising number. */
static void add_end(struct code_map *lives, size_t *nr_lives, const struct code_map *end,
                    const struct code_stretch *told)
{
    const struct code_map *last = *nr_lives ? &lives[*nr_lives - 1] : NULL;
    if (last && same_stretch(last, told) && last->number >= end->number)
        return;
    lives[*nr_lives] = *end;
    lives[*nr_lives].linear = told->linear;
    lives[*nr_lives].size = told->size;
    ++*nr_lives;
}

bool code_lives_end(struct code_map **lives, size_t *nr_lives, struct code_map *ends, size_t nr,
                    struct code_stretch *stretches, size_t nr_stretches)
{
    *lives = NULL;
    *nr_lives = 0;
    if (nr == 0 || nr_stretches == 0)
        return true;
    *lives = malloc(2 * nr_stretches * sizeof(**lives));
    if (!*lives)
        return false;
    qsort(ends, nr, sizeof(*ends), compare_ends);
    qsort(stretches, nr_stretches, sizeof(*stretches), compare_stretches);
    for (size_t i = 0; i < nr_stretches; i++) {
        const struct code_stretch *told = &stretches[i];
        const size_t end = end_behind(ends, nr, told->space, told->number);
        if (end > 0 && ends[end - 1].space == told->space)
            add_end(*lives, nr_lives, &ends[end - 1], told);
        if (end < nr && ends[end].space == told->space)
            add_end(*lives, nr_lives, &ends[end], told);
    }
    return true;
}
