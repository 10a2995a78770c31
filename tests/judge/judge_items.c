#include "tests/judge/judge_items.h"

#include <stdlib.h>

#include "pt/instruction/instruction.h"

static bool grow(struct judge_items *items)
{
    const size_t room = items->room ? 2 * items->room : 65536;
    void *more;
    if (!(more = realloc(items->items, room * sizeof(*items->items))))
        return false;
    items->items = more;
    if (!(more = realloc(items->tags, room)))
        return false;
    items->tags = more;
    if (!(more = realloc(items->tscs, room * sizeof(*items->tscs))))
        return false;
    items->tscs = more;
    items->room = room;
    return true;
}

void judge_items_add(struct judge_items *items, union flow_item item, uint8_t tag, uint64_t tsc)
{
    if (items->count == items->room && !grow(items)) {
        items->no_memory = true;
        return;
    }
    items->items[items->count] = item;
    items->tags[items->count] = tag;
    items->tscs[items->count++] = tsc;
}

void judge_items_clear(struct judge_items *items)
{
    items->count = items->next = 0;
    items->ended = items->no_memory = false;
}

void judge_items_free(struct judge_items *items)
{
    free(items->items);
    free(items->tags);
    free(items->tscs);
}

const struct flow_batch *judge_items_next(struct judge_items *items, const struct flow_result *result, uint16_t cpu)
{
    struct flow_batch *batch = &items->batch;
    const size_t first = items->next;
    *batch = (struct flow_batch){
        .begin = result->begin,
        .context = {.cr3 = FLOW_CR3_UNKNOWN, .tsc_error = FLOW_TSC_ERROR_UNKNOWN, .mode = INSTRUCTION_64, .cpu = cpu}};
    if (first == items->count) {
        if (items->ended)
            return NULL;
        items->ended = true;
        batch->kind = FLOW_BATCH_END;
        batch->result = result;
        return batch;
    }
    while (items->next < items->count && items->tscs[items->next] == items->tscs[first])
        items->next++;
    batch->kind = FLOW_BATCH_ITEMS;
    batch->context.tsc = items->tscs[first];
    batch->items = items->items + first;
    batch->tags = items->tags + first;
    batch->count = items->next - first;
    return batch;
}
