#include "lib/queue.h"

#include <stdlib.h>
#include <string.h>

#define LEAST_ROOM 256u

/* Room for count more items of size bytes. false: no memory. */
static bool make_room(void **items, size_t *room, size_t used, size_t count, size_t size)
{
    size_t wanted = *room ? *room : LEAST_ROOM;
    while (wanted - used < count)
        wanted *= 2;
    if (wanted == *room)
        return true;
    void *more = realloc(*items, wanted * size);
    if (!more)
        return false;
    *items = more;
    *room = wanted;
    return true;
}

static struct queue_entry *put_entry(struct queue *queue)
{
    void *entries = queue->entries;
    queue->full =
        queue->full || !make_room(&entries, &queue->entries_room, queue->nr_entries, 1, sizeof(*queue->entries));
    queue->entries = entries;
    return queue->full ? NULL : &queue->entries[queue->nr_entries++];
}

struct undertrace_item *queue_put(struct queue *queue)
{
    struct queue_entry *entry = put_entry(queue);
    if (!entry)
        return NULL;
    entry->count = 0;
    return &entry->item;
}

void queue_put_branches(struct queue *queue, const struct undertrace_where *where,
                        const struct undertrace_branch *branches, size_t count)
{
    void *items = queue->branches;
    queue->full =
        queue->full || !make_room(&items, &queue->branches_room, queue->nr_branches, count, sizeof(*branches));
    queue->branches = items;
    struct queue_entry *entry = put_entry(queue);
    if (!entry)
        return;
    entry->item.kind = UNDERTRACE_BRANCH;
    entry->item.where = *where;
    entry->first = queue->nr_branches;
    entry->count = count;
    memcpy(queue->branches + queue->nr_branches, branches, count * sizeof(*branches));
    queue->nr_branches += count;
}

void queue_clear(struct queue *queue)
{
    queue->nr_entries = queue->nr_branches = 0;
    queue->next = queue->next_branch = 0;
}

void queue_take(struct queue *queue, struct undertrace_item *item)
{
    const struct queue_entry *entry = &queue->entries[queue->next];
    if (entry->count == 0) {
        *item = entry->item;
        queue->next++;
        return;
    }
    item->kind = UNDERTRACE_BRANCH;
    item->where = entry->item.where;
    item->branch = queue->branches[entry->first + queue->next_branch++];
    if (queue->next_branch == entry->count) {
        queue->next++;
        queue->next_branch = 0;
    }
}

size_t queue_take_branches(struct queue *queue, struct undertrace_where *where,
                           const struct undertrace_branch **branches)
{
    const struct queue_entry *entry = &queue->entries[queue->next];
    if (entry->count == 0)
        return 0;
    const size_t count = entry->count - queue->next_branch;
    *where = entry->item.where;
    *branches = queue->branches + entry->first + queue->next_branch;
    queue->next++;
    queue->next_branch = 0;
    return count;
}

void queue_free(struct queue *queue)
{
    free(queue->entries);
    free(queue->branches);
    *queue = (struct queue){0};
}
