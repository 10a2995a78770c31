/* Selects the calls that are kept: the longest ones up to the maximum. No call is shorter than its callees. */
#include <stdlib.h>

#include "decode/calls/slices_state.h"
#include "decode/capture/list.h"

/* Classes of lengths: 16 for each power of two. */
#define CLASS_BITS 4u
#define NR_CLASSES (64u << CLASS_BITS)

/* Limit of a slice's depth, which has 16 bits. */
#define DEEPEST (UINT16_MAX - 2u)

static unsigned class_of(uint64_t ticks)
{
    if (ticks < 1u << CLASS_BITS)
        return (unsigned)ticks;
    const unsigned top = 63u - (unsigned)__builtin_clzll(ticks);
    return ((top - CLASS_BITS + 1) << CLASS_BITS) + (unsigned)(ticks >> (top - CLASS_BITS) & ((1u << CLASS_BITS) - 1));
}

/* The shortest length of a class. */
static uint64_t class_begin(unsigned number)
{
    const unsigned power = number >> CLASS_BITS, rest = number & ((1u << CLASS_BITS) - 1);
    return power == 0 ? rest : ((1ull << CLASS_BITS) + rest) << (power - 1);
}

/* The smallest length such that at most wanted slices have this length or more. */
static uint64_t least_of(const struct slices *slices, size_t wanted)
{
    size_t counts[NR_CLASSES] = {0}, sum = 0;
    unsigned number = NR_CLASSES - 1;
    for (size_t i = 0; i < slices->count; i++)
        counts[class_of(slices->items[i].end - slices->items[i].begin)]++;
    while (number > 0 && sum + counts[number] <= wanted)
        sum += counts[number--];
    return class_begin(number + 1);
}

struct merged {
    uint64_t ticks;
    uint32_t count;
};

/* Merge a call into its caller within; NULL: it is the outermost call. */
static void add_merged(struct slices *slices, struct slice_open *within, const struct slice_open *call, uint64_t ticks)
{
    if (call->entry == SLICE_TASK) {
        slices->merged_runs++;
        slices->merged_run_ticks += ticks;
    }
    if (!within)
        return;
    within->merged += call->merged + 1;
    within->merged_ticks += ticks;
}

/* What was merged at each depth of each track and waits for its caller. */
struct merging {
    struct merged *levels;
    size_t nr_levels; /* of each track */
};

static struct merged *level_of(const struct merging *merging, uint32_t track, size_t depth)
{
    return &merging->levels[track * merging->nr_levels + depth];
}

static void merge_slice(struct slices *slices, const struct merging *merging, const struct slice *slice)
{
    struct merged *level = level_of(merging, slice->track, slice->depth);
    level->count += slice->merged + 1;
    level->ticks += slice->end - slice->begin;
    slices->merged++;
    if (slice->entry == SLICE_TASK) {
        slices->merged_runs++;
        slices->merged_run_ticks += slice->end - slice->begin;
    }
}

static size_t deepest(const struct slices *slices)
{
    size_t depth = 0;
    for (size_t i = 0; i < slices->count; i++)
        depth = slices->items[i].depth > depth ? slices->items[i].depth : depth;
    return depth;
}

/* The remaining merged calls belong to callers that have not ended yet. */
static void merge_open(struct slices *slices, const struct merging *merging)
{
    for (uint32_t track = 0; track < slices->nr_tracks; track++)
        for (size_t depth = 1; depth < merging->nr_levels && depth <= slices->tracks[track].depth; depth++) {
            const struct merged *level = level_of(merging, track, depth);
            slices->tracks[track].open[depth - 1].merged += level->count;
            slices->tracks[track].open[depth - 1].merged_ticks += level->ticks;
        }
}

/* Keep at most half of the slices. */
static void halve(struct slices *slices)
{
    struct merging merging = {.nr_levels = deepest(slices) + 2};
    merging.levels = calloc(slices->nr_tracks * merging.nr_levels, sizeof(*merging.levels));
    if (!merging.levels) {
        slices->no_memory = true;
        return;
    }
    size_t kept = 0;
    slices->least = least_of(slices, slices->most / 2);
    for (size_t i = 0; i < slices->count; i++) {
        struct slice slice = slices->items[i];
        struct merged *within = level_of(&merging, slice.track, slice.depth + 1u);
        slice.merged += within->count;
        slice.merged_ticks += within->ticks;
        *within = (struct merged){0};
        if (slice.end - slice.begin < slices->least)
            merge_slice(slices, &merging, &slice);
        else
            slices->items[kept++] = slice;
    }
    slices->count = kept;
    merge_open(slices, &merging);
    free(merging.levels);
}

void slices_push(struct slices *slices, uint32_t track, struct slice_open call)
{
    struct slice_track *to = &slices->tracks[track];
    void *open = to->open;
    struct slice_open *place = list_add(&open, &to->depth, &to->room, sizeof(*place));
    to->open = open;
    if (place)
        *place = call;
    else
        slices->no_memory = true;
}

static void keep(struct slices *slices, struct slice slice)
{
    void *items = slices->items;
    struct slice *place = list_add(&items, &slices->count, &slices->room, sizeof(*place));
    slices->items = items;
    if (place)
        *place = slice;
    else
        slices->no_memory = true;
}

void slices_pop(struct slices *slices, uint32_t track, uint64_t tsc)
{
    struct slice_track *from = &slices->tracks[track];
    if (from->depth == 0)
        return;
    const struct slice_open call = from->open[--from->depth];
    const uint64_t ticks = tsc - call.begin;
    if (ticks >= slices->least && slices->count >= slices->most)
        halve(slices);
    if (ticks < slices->least || from->depth > DEEPEST) {
        slices->merged++;
        add_merged(slices, from->depth > 0 ? &from->open[from->depth - 1] : NULL, &call, ticks);
    } else {
        keep(slices, (struct slice){.begin = call.begin,
                                    .end = tsc,
                                    .merged_ticks = call.merged_ticks,
                                    .merged = call.merged,
                                    .name = call.name,
                                    .track = track,
                                    .depth = (uint16_t)from->depth,
                                    .entry = call.entry});
    }
}
