#include "decode/flow/flow_text.h"

#include <stdlib.h>

#define LEAST_BYTES ((size_t)1 << 20)
#define MOST_BYTES ((size_t)16 << 20) /* of a list in a buffer */
#define MOST_AT_ONCE 4096u            /* lines between two looks whether there is room */

bool flow_text_init(struct flow_text_order *order, const struct flow_text *text, unsigned threads)
{
    *order = (struct flow_text_order){.text = text, .nr_buffers = (size_t)threads * FLOW_TEXT_BUFFERS};
    pthread_mutex_init(&order->lock, NULL);
    pthread_cond_init(&order->turned, NULL);
    order->buffers = calloc(order->nr_buffers, sizeof(*order->buffers));
    return order->buffers != NULL;
}

void flow_text_destroy(struct flow_text_order *order)
{
    for (size_t i = 0; order->buffers && i < order->nr_buffers; i++)
        for (unsigned list = 0; list < FLOW_TEXT_NR_LISTS; list++)
            free(order->buffers[i].lists[list].bytes);
    free(order->buffers);
    pthread_mutex_destroy(&order->lock);
    pthread_cond_destroy(&order->turned);
}

void flow_text_maker_init(struct flow_text_maker *maker, struct flow_text_order *order, unsigned thread)
{
    *maker = (struct flow_text_maker){.order = order, .own = order->buffers + (size_t)thread * FLOW_TEXT_BUFFERS};
    maker->buffer = maker->own;
}

/* Write what the buffer has, and empty it. It is its turn: nobody else writes. */
static void write_out(const struct flow_text *text, struct flow_text_buffer *buffer)
{
    for (unsigned list = 0; list < FLOW_TEXT_NR_LISTS; list++) {
        if (buffer->lists[list].used > 0)
            text->write(text->context, (enum flow_text_list)list, buffer->lists[list].bytes, buffer->lists[list].used);
        buffer->lists[list].used = 0;
    }
}

static void wait_for_turn(struct flow_text_maker *maker)
{
    struct flow_text_order *order = maker->order;
    pthread_mutex_lock(&order->lock);
    while (order->turn != maker->buffer->chunk)
        pthread_cond_wait(&order->turned, &order->lock);
    pthread_mutex_unlock(&order->lock);
    write_out(order->text, maker->buffer);
}

/* The one that waits for this turn. NULL: it is not decoded yet. With the lock. */
static struct flow_text_buffer *find_waiting(const struct flow_text_order *order)
{
    for (size_t i = 0; i < order->nr_buffers; i++)
        if (order->buffers[i].waits && order->buffers[i].chunk == order->turn)
            return &order->buffers[i];
    return NULL;
}

void flow_text_begin(struct flow_text_maker *maker, size_t chunk)
{
    struct flow_text_order *order = maker->order;
    pthread_mutex_lock(&order->lock);
    for (maker->buffer = NULL; !maker->buffer;) {
        for (unsigned i = 0; i < FLOW_TEXT_BUFFERS && !maker->buffer; i++)
            maker->buffer = maker->own[i].waits ? NULL : &maker->own[i];
        if (!maker->buffer)
            pthread_cond_wait(&order->turned, &order->lock);
    }
    pthread_mutex_unlock(&order->lock);
    maker->buffer->chunk = chunk;
}

void flow_text_finish(struct flow_text_maker *maker)
{
    struct flow_text_order *order = maker->order;
    struct flow_text_buffer *buffer = maker->buffer;
    pthread_mutex_lock(&order->lock);
    buffer->waits = true;
    while (!order->writing && (buffer = find_waiting(order))) {
        order->writing = true;
        pthread_mutex_unlock(&order->lock);
        write_out(order->text, buffer);
        pthread_mutex_lock(&order->lock);
        buffer->waits = order->writing = false;
        order->turn++;
        pthread_cond_broadcast(&order->turned);
    }
    pthread_mutex_unlock(&order->lock);
}

/* A place for so many lines; what there is may have to be written for it. NULL: no memory for any of them. */
static char *make_room(struct flow_text_maker *maker, enum flow_text_list list, size_t lines)
{
    struct flow_text_buffer *buffer = maker->buffer;
    const size_t bytes = lines * FLOW_TEXT_LINE;
    size_t room = buffer->lists[list].room ? buffer->lists[list].room : LEAST_BYTES;
    while (room < buffer->lists[list].used + bytes)
        room *= 2;
    if (room > buffer->lists[list].room) {
        char *more = room <= MOST_BYTES ? realloc(buffer->lists[list].bytes, room) : NULL;
        if (!more) {
            wait_for_turn(maker);
            return buffer->lists[list].room >= bytes ? buffer->lists[list].bytes : NULL;
        }
        buffer->lists[list].bytes = more;
        buffer->lists[list].room = room;
    }
    return buffer->lists[list].bytes + buffer->lists[list].used;
}

void flow_text_take_branches(struct flow_text_maker *maker, const struct flow_branch *branches, size_t count,
                             uint64_t tsc)
{
    const struct flow_text *text = maker->order->text;
    while (count > 0) {
        const size_t part = count < MOST_AT_ONCE ? count : MOST_AT_ONCE;
        char *place = make_room(maker, FLOW_TEXT_BRANCHES, part);
        if (place)
            maker->buffer->lists[FLOW_TEXT_BRANCHES].used += text->branches(place, branches, part, tsc);
        branches += part;
        count -= part;
    }
}

void flow_text_take_instruction(struct flow_text_maker *maker, uint64_t ip)
{
    char *place = make_room(maker, FLOW_TEXT_INSTRUCTIONS, 1);
    if (place)
        maker->buffer->lists[FLOW_TEXT_INSTRUCTIONS].used += maker->order->text->instruction(place, ip);
}
