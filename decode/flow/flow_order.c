#include "decode/flow/flow_order.h"

#include <stdlib.h>
#include <string.h>

#define LEAST_ITEMS 65536u
#define MOST_ITEMS (1u << 20) /* 16 MiB a thread */

/* A head's to: how many items follow, and of which kind; from is their time. What is larger than an item takes several:
 * of transfers the first ones have what they have in common. */
#define HEAD_BRANCHES 0ull
#define HEAD_INSTRUCTIONS (1ull << 62)
#define HEAD_TRANSFERS (2ull << 62)
#define HEAD_RESULT (3ull << 62)
#define HEAD_KIND (3ull << 62)

#define ITEM sizeof(struct flow_branch)
#define ITEMS_A_TRANSFER (sizeof(struct flow_transfer) / ITEM)
#define COMMON 2u
#define ITEMS_A_RESULT ((sizeof(struct flow_result) + ITEM - 1) / ITEM)
_Static_assert(sizeof(struct flow_transfer) % ITEM == 0, "transfers stand one behind another");

void flow_order_init(struct flow_order *order, const struct flow_hooks *hooks)
{
    pthread_mutex_init(&order->lock, NULL);
    pthread_cond_init(&order->turned, NULL);
    atomic_init(&order->turn, 0);
    order->hooks = hooks;
}

void flow_order_destroy(struct flow_order *order)
{
    pthread_mutex_destroy(&order->lock);
    pthread_cond_destroy(&order->turned);
}

static bool is_turn(const struct flow_held *held)
{
    return atomic_load(&held->order->turn) == held->chunk;
}

static void hand_on_transfers(const struct flow_hooks *hooks, const struct flow_branch *items, size_t count,
                              uint64_t tsc)
{
    const struct flow_transfers transfers = {.items = (const struct flow_transfer *)(const void *)(items + COMMON),
                                             .count = (count - COMMON) / ITEMS_A_TRANSFER,
                                             .tsc = tsc,
                                             .cr3 = items->from,
                                             .at = items->to,
                                             .begin = items[1].from};
    hooks->transfers(hooks->context, &transfers);
}

static void hand_on_result(const struct flow_hooks *hooks, const struct flow_branch *items)
{
    struct flow_result result;
    memcpy(&result, items, sizeof(result));
    hooks->result(hooks->context, &result);
}

/* What a head stands before. */
static void hand_on_items(const struct flow_hooks *hooks, const struct flow_branch *head, size_t count)
{
    switch (head->to & HEAD_KIND) {
    case HEAD_BRANCHES:
        hooks->branches(hooks->context, head + 1, count, head->from);
        break;
    case HEAD_INSTRUCTIONS:
        for (size_t i = 1; i <= count; i++)
            hooks->instruction(hooks->context, head[i].from);
        break;
    case HEAD_TRANSFERS:
        hand_on_transfers(hooks, head + 1, count, head->from);
        break;
    default:
        hand_on_result(hooks, head + 1);
    }
}

/* Hand on all that is held. It is the chunk's turn. */
static void hand_on(struct flow_held *held)
{
    for (size_t at = 0; at < held->used;) {
        const struct flow_branch *head = &held->items[at];
        const size_t count = (size_t)(head->to & ~HEAD_KIND);
        hand_on_items(held->order->hooks, head, count);
        at += count + 1;
    }
    held->used = 0;
}

static void wait_for_turn(struct flow_held *held)
{
    struct flow_order *order = held->order;
    pthread_mutex_lock(&order->lock);
    while (!is_turn(held))
        pthread_cond_wait(&order->turned, &order->lock);
    pthread_mutex_unlock(&order->lock);
    hand_on(held);
}

/* Can so many more items be held, with a head? Else it has become the chunk's turn, and nothing is held. */
static bool may_hold(struct flow_held *held, size_t count)
{
    const size_t wanted = held->used + count + 1;
    size_t room = held->room ? held->room : LEAST_ITEMS;
    struct flow_branch *more = NULL;
    if (is_turn(held)) {
        hand_on(held);
        return false;
    }
    if (wanted <= held->room)
        return true;
    while (room < wanted)
        room *= 2;
    if (room <= MOST_ITEMS)
        more = realloc(held->items, room * sizeof(*more));
    if (!more) {
        wait_for_turn(held);
        return false;
    }
    held->items = more;
    held->room = room;
    return true;
}

/* A place for count more items of a kind and a time. */
static struct flow_branch *hold(struct flow_held *held, uint64_t kind, size_t count, uint64_t tsc)
{
    struct flow_branch *head = held->used > 0 ? &held->items[held->head] : NULL;
    if (!head || (head->to & HEAD_KIND) != kind || head->from != tsc || kind >= HEAD_TRANSFERS) {
        held->head = held->used++;
        head = &held->items[held->head];
        *head = (struct flow_branch){tsc, kind};
    }
    head->to += count;
    held->used += count;
    return &held->items[held->used - count];
}

void flow_held_branches(void *context, const struct flow_branch *branches, size_t count, uint64_t tsc)
{
    struct flow_held *held = context;
    const struct flow_hooks *hooks = held->order->hooks;
    if (may_hold(held, count))
        memcpy(hold(held, HEAD_BRANCHES, count, tsc), branches, count * sizeof(*branches));
    else
        hooks->branches(hooks->context, branches, count, tsc);
}

void flow_held_instruction(void *context, uint64_t ip)
{
    struct flow_held *held = context;
    const struct flow_hooks *hooks = held->order->hooks;
    if (may_hold(held, 1))
        hold(held, HEAD_INSTRUCTIONS, 1, 0)->from = ip;
    else
        hooks->instruction(hooks->context, ip);
}

void flow_held_transfers(void *context, const struct flow_transfers *transfers)
{
    struct flow_held *held = context;
    const struct flow_hooks *hooks = held->order->hooks;
    const size_t count = transfers->count * ITEMS_A_TRANSFER + COMMON;
    if (!may_hold(held, count)) {
        hooks->transfers(hooks->context, transfers);
        return;
    }
    struct flow_branch *place = hold(held, HEAD_TRANSFERS, count, transfers->tsc);
    place[0] = (struct flow_branch){transfers->cr3, transfers->at};
    place[1] = (struct flow_branch){transfers->begin, 0};
    memcpy(place + COMMON, transfers->items, transfers->count * sizeof(*transfers->items));
}

void flow_held_result(void *context, const struct flow_result *result)
{
    struct flow_held *held = context;
    const struct flow_hooks *hooks = held->order->hooks;
    if (may_hold(held, ITEMS_A_RESULT))
        memcpy(hold(held, HEAD_RESULT, ITEMS_A_RESULT, 0), result, sizeof(*result));
    else
        hooks->result(hooks->context, result);
}

void flow_held_finish(struct flow_held *held)
{
    struct flow_order *order = held->order;
    wait_for_turn(held);
    pthread_mutex_lock(&order->lock);
    atomic_fetch_add(&order->turn, 1);
    pthread_cond_broadcast(&order->turned);
    pthread_mutex_unlock(&order->lock);
}

void flow_held_free(struct flow_held *held)
{
    free(held->items);
    held->items = NULL;
}
