#include "decode/stack/stack_queue.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES (256u << 10)
#define MOST_CHUNKS 32u

/* An entry is a head and, of transfers, its items. */
struct head {
    struct flow_transfers transfers; /* items are not kept: they follow */
    struct flow_result result;
    enum stack_queue_kind kind;
};

struct stack_queue_chunk {
    struct stack_queue_chunk *next;
    size_t used, room;
    _Alignas(16) char bytes[];
};

void stack_queue_init(struct stack_queue *queue)
{
    *queue = (struct stack_queue){0};
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->changed, NULL);
}

void stack_queue_free(struct stack_queue *queue)
{
    while (queue->first) {
        struct stack_queue_chunk *next = queue->first->next;
        free(queue->first);
        queue->first = next;
    }
    free(queue->filled);
    free(queue->read);
    pthread_mutex_destroy(&queue->lock);
    pthread_cond_destroy(&queue->changed);
}

/* The chunk that was filled may be taken. */
static void pass_on(struct stack_queue *queue, bool end)
{
    struct stack_queue_chunk *chunk = queue->filled;
    pthread_mutex_lock(&queue->lock);
    while (queue->nr_chunks >= MOST_CHUNKS)
        pthread_cond_wait(&queue->changed, &queue->lock);
    if (chunk) {
        if (queue->last)
            queue->last->next = chunk;
        else
            queue->first = chunk;
        queue->last = chunk;
        queue->nr_chunks++;
    }
    queue->ended |= end;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
    queue->filled = NULL;
}

static void put(struct stack_queue *queue, const struct head *head, const struct flow_transfer *items, size_t count)
{
    const size_t size = sizeof(*head) + count * sizeof(*items);
    if (queue->filled && queue->filled->room - queue->filled->used < size)
        pass_on(queue, false);
    if (!queue->filled) {
        const size_t room = size > CHUNK_BYTES ? size : CHUNK_BYTES;
        queue->filled = malloc(sizeof(*queue->filled) + room);
        if (!queue->filled) {
            queue->no_memory = true;
            return;
        }
        queue->filled->next = NULL;
        queue->filled->used = 0;
        queue->filled->room = room;
    }
    memcpy(queue->filled->bytes + queue->filled->used, head, sizeof(*head));
    if (count > 0)
        memcpy(queue->filled->bytes + queue->filled->used + sizeof(*head), items, count * sizeof(*items));
    queue->filled->used += size;
}

void stack_queue_transfers(void *context, const struct flow_transfers *transfers)
{
    const struct head head = {.transfers = *transfers};
    put(context, &head, transfers->items, transfers->count);
}

void stack_queue_result(void *context, const struct flow_result *result)
{
    const struct head head = {.result = *result, .kind = STACK_QUEUE_RESULT};
    put(context, &head, NULL, 0);
}

void stack_queue_pass_over(struct stack_queue *queue)
{
    const struct head head = {.kind = STACK_QUEUE_PASS_OVER};
    put(queue, &head, NULL, 0);
}

bool stack_queue_ask(struct stack_queue *queue, uint64_t tsc)
{
    const struct head head = {.kind = STACK_QUEUE_QUESTION, .transfers = {.tsc = tsc}};
    queue->asks = true; /* nobody knows of it yet */
    put(queue, &head, NULL, 0);
    if (queue->no_memory) /* it may not be there */
        return true;
    pass_on(queue, false);
    pthread_mutex_lock(&queue->lock);
    while (queue->asks)
        pthread_cond_wait(&queue->changed, &queue->lock);
    const bool answer = queue->answer;
    pthread_mutex_unlock(&queue->lock);
    return answer;
}

void stack_queue_answer(struct stack_queue *queue, bool answer)
{
    pthread_mutex_lock(&queue->lock);
    queue->asks = false;
    queue->answer = answer;
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
}

void stack_queue_end(struct stack_queue *queue)
{
    pass_on(queue, true);
}

/* The next chunk to read, where the present one is at its end. */
static bool next_chunk(struct stack_queue *queue)
{
    free(queue->read);
    pthread_mutex_lock(&queue->lock);
    while (!queue->first && !queue->ended)
        pthread_cond_wait(&queue->changed, &queue->lock);
    queue->read = queue->first;
    queue->read_at = 0;
    if (queue->read) {
        queue->first = queue->read->next;
        queue->nr_chunks--;
        if (!queue->first)
            queue->last = NULL;
    }
    pthread_cond_broadcast(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
    return queue->read != NULL;
}

bool stack_queue_take(struct stack_queue *queue, struct stack_queue_entry *entry)
{
    struct head head;
    if ((!queue->read || queue->read_at == queue->read->used) && !next_chunk(queue))
        return false;
    const char *bytes = queue->read->bytes + queue->read_at;
    memcpy(&head, bytes, sizeof(head));
    *entry = (struct stack_queue_entry){head.kind, head.transfers, head.result};
    entry->transfers.items = (const struct flow_transfer *)(const void *)(bytes + sizeof(head));
    queue->read_at += sizeof(head) + entry->transfers.count * sizeof(struct flow_transfer);
    return true;
}

void stack_queue_give(const struct stack_queue_entry *entry, struct stacks *stacks)
{
    switch (entry->kind) {
    case STACK_QUEUE_TRANSFERS:
        stacks_transfers(stacks, &entry->transfers);
        break;
    case STACK_QUEUE_RESULT:
        stacks_result(stacks, &entry->result);
        break;
    case STACK_QUEUE_PASS_OVER:
        stacks_pass_over(stacks);
        break;
    case STACK_QUEUE_QUESTION:
        break;
    }
}
