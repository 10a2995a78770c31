#include "decode/code/code_generations.h"

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

/* The index of the first end of the space after the record number, or of the entry that follows all ends of the space.
 */
static size_t end_after(const struct code_map *ends, size_t nr, uint64_t space, uint64_t number)
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

static bool same_stretch(const struct code_map *end, const struct code_stretch *stretch)
{
    return end->space == stretch->space && end->linear == stretch->linear && end->size == stretch->size;
}

/* Those of one stretch come by rising number. */
static void add_end(struct code_map *made, size_t *nr_made, const struct code_map *end,
                    const struct code_stretch *stretch)
{
    const struct code_map *last = *nr_made ? &made[*nr_made - 1] : NULL;
    if (last && same_stretch(last, stretch) && last->number >= end->number)
        return;
    made[*nr_made] = *end;
    made[*nr_made].linear = stretch->linear;
    made[*nr_made].size = stretch->size;
    ++*nr_made;
}

bool code_generations_end(struct code_map **made, size_t *nr_made, struct code_map *ends, size_t nr,
                          struct code_stretch *stretches, size_t nr_stretches)
{
    *made = NULL;
    *nr_made = 0;
    if (nr == 0 || nr_stretches == 0)
        return true;
    *made = malloc(2 * nr_stretches * sizeof(**made));
    if (!*made)
        return false;
    qsort(ends, nr, sizeof(*ends), compare_ends);
    qsort(stretches, nr_stretches, sizeof(*stretches), compare_stretches);
    for (size_t i = 0; i < nr_stretches; i++) {
        const struct code_stretch *stretch = &stretches[i];
        const size_t end = end_after(ends, nr, stretch->space, stretch->number);
        if (end > 0 && ends[end - 1].space == stretch->space)
            add_end(*made, nr_made, &ends[end - 1], stretch);
        if (end < nr && ends[end].space == stretch->space)
            add_end(*made, nr_made, &ends[end], stretch);
    }
    return true;
}
