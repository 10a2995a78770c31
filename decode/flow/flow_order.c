#include "decode/flow/flow_order.h"

#include <stdlib.h>
#include <string.h>

#define LEAST_ITEMS 65536u
#define MOST_ITEMS (1u << 20) /* 16 MiB a thread */

/* A head's to: how many items follow, and of which kind; from is their time. */
#define HEAD_INSTRUCTIONS (1ull << 63)

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

/* Hand on all that is held. It is the chunk's turn. */
static void hand_on(struct flow_held *held)
{
    const struct flow_hooks *hooks = held->order->hooks;
    for (size_t at = 0; at < held->used;) {
        const struct flow_branch *head = &held->items[at++];
        const size_t count = (size_t)(head->to & ~HEAD_INSTRUCTIONS);
        if (!(head->to & HEAD_INSTRUCTIONS))
            hooks->branches(hooks->context, held->items + at, count, head->from);
        for (size_t i = 0; i < count && head->to & HEAD_INSTRUCTIONS; i++)
            hooks->instruction(hooks->context, held->items[at + i].from);
        at += count;
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
    if (!head || (head->to & HEAD_INSTRUCTIONS) != kind || head->from != tsc) {
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
        memcpy(hold(held, 0, count, tsc), branches, count * sizeof(*branches));
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
