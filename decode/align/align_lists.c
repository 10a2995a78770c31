/* Two lists of calls, aligned on ever weaker conditions. */
#include <stdlib.h>

#include "decode/align/align_state.h"
#include "decode/align/sequence.h"

static uint64_t events_of(const struct call_trees *trees, const struct call_item *items, size_t count)
{
    uint64_t events = 0;
    for (size_t i = 0; i < count; i++)
        events += 2 * items[i].count * trees->trees[items[i].tree].calls;
    return events;
}

/* The calls that one tree makes, whose own call is at this event. */
static struct align_list callees(const struct call_trees *trees, uint32_t tree, uint64_t event)
{
    return (struct align_list){call_tree_items(trees, tree), trees->trees[tree].nr_items, event + 1, NULL};
}

/* The item of a list, or what follows it; NULL: nothing does. */
static const struct call_item *item_at(const struct align_list *list, size_t index)
{
    return index < list->count ? &list->items[index] : list->after;
}

/* The first items of two lists, of one function: the first calls of both are
 * compared, and one may have more of them. */
static void align_items(struct align_work *work, const struct align_list *list_a, const struct align_list *list_b)
{
    const struct call_trees *trees = work->trees;
    const struct call_item *a = list_a->items, *b = list_b->items;
    const uint64_t events[2] = {list_a->event, list_b->event};
    const uint32_t both = a->count < b->count ? a->count : b->count;
    if (a->tree != b->tree && work->depth < ALIGN_DEPTH) {
        work->stack[work->depth++] = trees->trees[a->tree].function;
        align_lists(work, callees(trees, a->tree, events[0]), callees(trees, b->tree, events[1]), ALIGN_EQUAL);
        work->depth--;
    } else if (a->tree != b->tree) {
        work->alignment->cut = true;
        align_add_extra(work, 0, &(struct call_item){a->tree, both}, events[0], (struct align_other){b, events[1]});
        align_add_extra(work, 1, &(struct call_item){b->tree, both}, events[1], (struct align_other){a, events[0]});
    }
    for (unsigned side = 0; side < 2; side++) {
        const struct call_item *item = side ? b : a, *less = side ? a : b;
        const uint64_t after = 2 * both * trees->trees[item->tree].calls;
        if (item->count > both)
            align_add_extra(work, side, &(struct call_item){item->tree, item->count - both}, events[side] + after,
                            (struct align_other){item_at(side ? list_a : list_b, 1),
                                                 events[!side] + 2 * both * trees->trees[less->tree].calls});
    }
}

static void add_rest(struct align_work *work, struct align_list a, struct align_list b)
{
    struct align_list *lists[2] = {&a, &b};
    for (unsigned side = 0; side < 2; side++)
        while (lists[side]->count > 0) {
            struct align_list *list = lists[side];
            align_add_extra(work, side, list->items, list->event,
                            (struct align_other){item_at(lists[!side], 0), lists[!side]->event});
            list->event += events_of(work->trees, list->items, 1);
            list->items++;
            list->count--;
        }
}

static void advance(const struct call_trees *trees, struct align_list *list, size_t count)
{
    list->event += events_of(trees, list->items, count);
    list->items += count;
    list->count -= count;
}

/* Calls up to the aligned items go to the next level; the items themselves are
 * equal, or their callees are aligned. */
static void follow(struct align_work *work, struct align_list *a, struct align_list *b, const size_t skip[2],
                   enum align_level level)
{
    align_lists(work, (struct align_list){a->items, skip[0], a->event, item_at(a, skip[0])},
                (struct align_list){b->items, skip[1], b->event, item_at(b, skip[1])}, level + 1);
    advance(work->trees, a, skip[0]);
    advance(work->trees, b, skip[1]);
    if (a->count == 0 || b->count == 0)
        return;
    if (level != ALIGN_EQUAL)
        align_items(work, a, b);
    advance(work->trees, a, 1);
    advance(work->trees, b, 1);
}

static uint64_t *tokens_of(const struct call_trees *trees, struct align_list list, enum align_level level)
{
    uint64_t *tokens = malloc((list.count + 1) * sizeof(*tokens));
    for (size_t i = 0; tokens && i < list.count; i++)
        tokens[i] = align_token(trees, &list.items[i], level);
    return tokens;
}

void align_lists(struct align_work *work, struct align_list a, struct align_list b, enum align_level level)
{
    if (a.count == 0 || b.count == 0 || level == ALIGN_NR_LEVELS) {
        add_rest(work, a, b);
        return;
    }
    uint64_t *tokens_a = tokens_of(work->trees, a, level), *tokens_b = tokens_of(work->trees, b, level);
    size_t *partner = malloc((a.count + 1) * sizeof(*partner));
    const size_t nr_a = a.count, nr_b = b.count;
    if (!tokens_a || !tokens_b || !partner || !sequence_align(partner, tokens_a, nr_a, tokens_b, nr_b)) {
        work->alignment->no_memory = true;
    } else {
        size_t at_a = 0, at_b = 0;
        for (size_t i = 0; i < nr_a; i++) {
            if (partner[i] == SEQUENCE_NONE)
                continue;
            follow(work, &a, &b, (const size_t[]){i - at_a, partner[i] - at_b}, level);
            at_a = i + 1;
            at_b = partner[i] + 1;
        }
        align_lists(work, a, b, level + 1);
    }
    free(tokens_a);
    free(tokens_b);
    free(partner);
}
