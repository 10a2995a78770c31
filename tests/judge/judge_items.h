/* What the judge has decoded of a stretch, as batches. */
#ifndef JUDGE_JUDGE_ITEMS_H
#define JUDGE_JUDGE_ITEMS_H

#include <stdbool.h>
#include <stddef.h>

#include "decode/engine/batch.h"

struct judge_items {
    union flow_item *items;
    uint8_t *tags;
    uint64_t *tscs; /* of each item */
    size_t count, room;
    size_t next; /* the first that was not pulled */
    bool ended;  /* FLOW_BATCH_END was pulled */
    bool no_memory;
    struct flow_batch batch;
};

void judge_items_add(struct judge_items *items, union flow_item item, uint8_t tag, uint64_t tsc);
void judge_items_clear(struct judge_items *items);
void judge_items_free(struct judge_items *items);

/* The next batch: items of one time, and at last the result. NULL: none after that. */
const struct flow_batch *judge_items_next(struct judge_items *items, const struct flow_result *result, uint16_t cpu);

#endif
