/* Items on their way out of a reader, in order. Branches in a row are one entry. */
#ifndef LIB_QUEUE_H
#define LIB_QUEUE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/undertrace.h"

struct queue_entry {
    struct undertrace_item item; /* of branches: kind and where */
    size_t first, count;         /* the branches */
};

struct queue {
    struct queue_entry *entries;
    size_t nr_entries, entries_room;
    struct undertrace_branch *branches;
    size_t nr_branches, branches_room;
    size_t next, next_branch; /* what has not been taken: entry, branch within it */
    bool full;                /* memory ran out: something is missing */
};

/* A place for another item. NULL: no memory. */
struct undertrace_item *queue_put(struct queue *queue);

/* Branches of one place. */
void queue_put_branches(struct queue *queue, const struct undertrace_where *where,
                        const struct undertrace_branch *branches, size_t count);

static inline bool queue_empty(const struct queue *queue)
{
    return queue->next == queue->nr_entries;
}

/* Forget what has been taken, which must be all. */
void queue_clear(struct queue *queue);

/* Take the next item; the queue is not empty. */
void queue_take(struct queue *queue, struct undertrace_item *item);

/* Take all that is left of the branches that stand next. Returns how many; 0: it is something else. */
size_t queue_take_branches(struct queue *queue, struct undertrace_where *where,
                           const struct undertrace_branch **branches);

void queue_free(struct queue *queue);

#endif
