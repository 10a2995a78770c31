#include "decode/query/diverge.h"

#include <stdlib.h>

#include "decode/flow/source.h"
#include "decode/query/prefix.h"

#define LEAST_ROOM 8192u
#define BATCHES_A_SHOW 256u

/* One of the two traces, and the branches of it that are decoded and not yet compared. */
struct side {
    const struct indexed_capture *indexed;
    uint16_t cpu;
    struct source source;
    bool ended, no_memory;
    struct diverge_branch *items;
    size_t at, count, room;
};

static void take_batch(struct side *side, const struct flow_batch *batch)
{
    size_t room = side->room ? side->room : LEAST_ROOM;
    while (room < side->count + batch->count)
        room *= 2;
    if (room > side->room) {
        struct diverge_branch *more = realloc(side->items, room * sizeof(*more));
        if (!more) {
            side->no_memory = true;
            return;
        }
        side->items = more;
        side->room = room;
    }
    for (size_t i = 0; i < batch->count; i++)
        side->items[side->count++] = (struct diverge_branch){batch->items[i].branch, batch->context.tsc,
                                                             batch->context.cr3, batch->context.at, batch->tags[i]};
}

/* From a trace offset on. */
static bool open_side(struct side *side, const struct indexed_capture *indexed, uint16_t cpu, uint64_t from,
                      struct error *error)
{
    *side = (struct side){.indexed = indexed, .cpu = cpu};
    return source_open(&side->source, &indexed->traces[cpu], (struct flow_part){from, UINT64_MAX},
                       FLOW_NEED_BRANCHES | FLOW_NEED_KINDS | FLOW_NEED_TIME | FLOW_NEED_CONTEXT, error);
}

static void close_side(struct side *side)
{
    source_close(&side->source);
    free(side->items);
}

/* One step of decoding. */
static void decode_on(struct side *side)
{
    const struct flow_batch *batch = source_next(&side->source);
    side->ended = !batch;
    if (batch && batch->kind == FLOW_BATCH_ITEMS)
        take_batch(side, batch);
}

/* Decode until some branches more than keep are there, or there are no more. */
static void refill(struct side *side, size_t keep)
{
    if (side->at > keep) {
        const size_t gone = side->at - keep;
        for (size_t i = gone; i < side->count; i++)
            side->items[i - gone] = side->items[i];
        side->at -= gone;
        side->count -= gone;
    }
    while (side->at == side->count && !side->ended && !side->no_memory)
        decode_on(side);
}

static const struct name *name_of(const struct side *side, const struct diverge_branch *item, uint64_t address)
{
    return names_find(side->indexed->names, &side->indexed->traces[side->cpu].pages, item->cr3, item->at, address);
}

/* By function and offset. */
static bool same_place(const struct side sides[2], const struct compare_slide *slide, const struct diverge_branch *a,
                       uint64_t in_a, const struct diverge_branch *b, uint64_t in_b)
{
    const struct name *name_a = name_of(&sides[0], a, in_a), *name_b = name_of(&sides[1], b, in_b);
    return name_a->symbol && in_a - name_a->begin == in_b - name_b->begin && compare_same_name(slide, name_a, name_b);
}

static bool same_branch(const struct side sides[2], const struct compare_slide *slide, const struct diverge_branch *a,
                        const struct diverge_branch *b)
{
    return (compare_moved(slide, a->branch.from) == b->branch.from ||
            same_place(sides, slide, a, a->branch.from, b, b->branch.from)) &&
           (compare_moved(slide, a->branch.to) == b->branch.to ||
            same_place(sides, slide, a, a->branch.to, b, b->branch.to));
}

/* Report the branches around the first difference. */
static void report(struct divergence *divergence, struct side sides[2])
{
    const struct side *a = &sides[0];
    const size_t before = a->at < DIVERGE_CONTEXT ? a->at : DIVERGE_CONTEXT;
    divergence->found = true;
    for (size_t i = 0; i < before; i++)
        divergence->before[divergence->nr_before++] = a->items[a->at - before + i];
    for (int k = 0; k < 2; k++) {
        struct side *side = &sides[k];
        while (side->count < side->at + DIVERGE_CONTEXT && !side->ended && !side->no_memory)
            decode_on(side);
        for (size_t i = side->at; i < side->count && i < side->at + DIVERGE_CONTEXT; i++)
            divergence->next[k][divergence->nr_next[k]++] = side->items[i];
    }
}

/* Compare as many branches as both have decoded. false: those at `at` differ. */
static bool compare_batch(struct divergence *divergence, struct side sides[2], const struct compare_slide *slide)
{
    struct side *a = &sides[0], *b = &sides[1];
    for (; a->at < a->count && b->at < b->count; a->at++, b->at++) {
        if (!same_branch(sides, slide, &a->items[a->at], &b->items[b->at]))
            return false;
        divergence->branches++;
    }
    return true;
}

static void compare_all(struct divergence *divergence, struct side sides[2], const struct compare_slide *slide,
                        flow_progress *progress, void *progress_context)
{
    struct side *a = &sides[0], *b = &sides[1];
    bool same = true;
    for (uint64_t round = 0; same; round++) {
        refill(a, DIVERGE_CONTEXT);
        refill(b, DIVERGE_CONTEXT);
        if (a->no_memory || b->no_memory || (a->at == a->count && b->at == b->count))
            break;
        same = a->at < a->count && b->at < b->count && compare_batch(divergence, sides, slide);
        if (progress && round % BATCHES_A_SHOW == 0 && a->source.cursor.size)
            progress(progress_context, (double)a->source.cursor.at / (double)a->source.cursor.size);
    }
    if (progress)
        progress(progress_context, 1);
    if (!same)
        report(divergence, sides);
}

bool diverge_find(struct divergence *divergence, const struct indexed_capture *const captures[2], uint16_t cpu,
                  const struct compare_slide *slide, flow_progress *progress, void *progress_context,
                  struct error *error)
{
    struct side sides[2] = {0};
    struct prefix prefix = {0};
    if (!capture_trace(captures[0]->capture, cpu, error) || !capture_trace(captures[1]->capture, cpu, error))
        return false;
    if (slide->difference == 0)
        prefix = prefix_find(captures, cpu);
    *divergence = (struct divergence){.branches = prefix.branches};
    bool good = open_side(&sides[0], captures[0], cpu, prefix.end, error) &&
                open_side(&sides[1], captures[1], cpu, prefix.end, error);
    if (good) {
        compare_all(divergence, sides, slide, progress, progress_context);
        good = !sides[0].no_memory && !sides[1].no_memory;
    }
    close_side(&sides[0]);
    close_side(&sides[1]);
    return good || error_set(error, ERROR_MEMORY, 0, "the branches of a stretch");
}
