/* The calls that one boot has and the other has not: sums by function and caller, and the first of them. */
#include <stdlib.h>
#include <string.h>

#include "decode/align/align_state.h"
#include "decode/capture/list.h"

static struct align_extra *extra_of(struct align_work *work, unsigned side, uint32_t function, uint32_t caller)
{
    struct align_pair *pair = work->pair;
    uint32_t *chain = &work->chains[(function * 31 + caller * 2 + side) % ALIGN_CHAINS];
    for (uint32_t at = *chain; at; at = pair->extras[at - 1].next) {
        struct align_extra *extra = &pair->extras[at - 1];
        if (extra->side == side && extra->function == function && extra->caller == caller)
            return extra;
    }
    void *extras = pair->extras;
    struct align_extra *extra = list_add(&extras, &pair->nr_extras, &pair->extra_room, sizeof(*extra));
    pair->extras = extras;
    work->alignment->no_memory |= !extra;
    if (!extra)
        return NULL;
    *extra = (struct align_extra){.side = side, .function = function, .caller = caller, .next = *chain};
    *chain = (uint32_t)pair->nr_extras;
    return extra;
}

static void set_next(struct align_point *point, const struct call_trees *trees, unsigned side,
                     const struct call_item *item)
{
    point->next[side] = item ? trees->trees[item->tree].function : ALIGN_NO_FUNCTION;
    point->callee[side] = item ? align_callee(trees, item->tree) : ALIGN_NO_FUNCTION;
}

static void set_point(struct align_work *work, unsigned side, const struct call_item *item, uint64_t event,
                      struct align_other other)
{
    struct align_point *point = &work->pair->point;
    point->stack = malloc((work->depth + 1) * sizeof(*point->stack));
    if (!point->stack) {
        work->alignment->no_memory = true;
        return;
    }
    memcpy(point->stack, work->stack, work->depth * sizeof(*point->stack));
    point->depth = work->depth;
    set_next(point, work->trees, side, item);
    set_next(point, work->trees, !side, other.next);
    point->tsc[side] = task_calls_time(work->pair->tasks[side], event);
    point->tsc[!side] = task_calls_time(work->pair->tasks[!side], other.event);
    /* Each of the calls before it has one event, or two if it has returned. */
    point->equal = ((side ? other.event : event) + work->depth) / 2;
}

void align_add_extra(struct align_work *work, unsigned side, const struct call_item *item, uint64_t event,
                     struct align_other other)
{
    struct align_pair *pair = work->pair;
    const struct call_tree *tree = &work->trees->trees[item->tree];
    const uint32_t caller = work->depth ? work->stack[work->depth - 1] : ALIGN_NO_FUNCTION;
    const uint64_t calls = item->count * tree->calls, begin = task_calls_time(pair->tasks[side], event);
    if (!pair->differs)
        set_point(work, side, item, event, other);
    pair->differs = true;
    struct align_extra *extra = extra_of(work, side, tree->function, caller);
    if (!extra)
        return;
    if (extra->count == 0) {
        extra->first = begin;
        extra->callee = align_callee(work->trees, item->tree);
    }
    extra->count += item->count;
    extra->calls += calls;
    extra->ticks += task_calls_time(pair->tasks[side], event + 2 * calls - 1) - begin;
}
