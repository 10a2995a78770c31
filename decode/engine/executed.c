#include "decode/engine/executed.h"

#include <stdlib.h>
#include <string.h>

/* The most items that a walk adds between two flushes: one for each instruction that may be unproven, and as many
 * again, because with FLOW_NEED_LISTING a branch may follow each of them. */
#define MOST_ADDED (2 * (EXECUTED_MAX_UNPROVEN + 4096u) + 1)
#define LEAST_ROOM (EXECUTED_BATCH + 2 * MOST_ADDED)
#define LEAST_BATCHES 64u

bool executed_init(struct executed *executed, const struct flow_input *input, unsigned needs,
                   const enum instruction_mode *mode)
{
    const bool tagged = needs & (FLOW_NEED_KINDS | FLOW_NEED_TRANSFERS | FLOW_NEED_LISTING);
    *executed = (struct executed){.items = malloc(LEAST_ROOM * sizeof(union flow_item)),
                                  .tags = tagged ? malloc(LEAST_ROOM) : NULL,
                                  .room = LEAST_ROOM,
                                  .batches = malloc(LEAST_BATCHES * sizeof(struct executed_batch)),
                                  .batches_room = LEAST_BATCHES,
                                  .context.cpu = input->pages->cpu,
                                  .needs = needs,
                                  .mode = mode};
    return executed->items && executed->batches && (!tagged || executed->tags);
}

void executed_free(struct executed *executed)
{
    free(executed->items);
    free(executed->tags);
    free(executed->batches);
}

/* All batches were pulled: move the items that are in no batch to the front. */
static void reuse_room(struct executed *executed)
{
    const size_t begin = executed->begin, left = executed->used - begin;
    executed->nr_batches = executed->next = 0;
    if (begin == 0)
        return;
    if (left > 0)
        memmove(executed->items, executed->items + begin, left * sizeof(*executed->items));
    if (left > 0 && executed->tags)
        memmove(executed->tags, executed->tags + begin, left);
    executed->begin = 0;
    executed->proven -= begin;
    executed->used = left;
}

void executed_begin(struct executed *executed, uint64_t begin, uint64_t end, uint64_t tsc)
{
    executed->result = (struct flow_result){.begin = begin, .end = end, .tsc = tsc, .hash = TRUTH_HASH_SEED};
    executed->used = executed->proven = executed->begin = 0;
    reuse_room(executed);
    executed->instructions = executed->proven_instructions = 0;
    executed->blocks = executed->conditional = 0;
    executed->context.tsc = 0;
    executed->context.cr3 = FLOW_CR3_UNKNOWN;
    executed->flushed = 0;
    executed->no_memory = false;
}

/* Append a batch. Room for FLOW_BATCH_END is always kept. NULL: no memory. */
static struct flow_batch *add_batch(struct executed *executed, enum flow_batch_kind kind, size_t first)
{
    if (executed->nr_batches + 1 >= executed->batches_room && kind != FLOW_BATCH_END) {
        const size_t room = 2 * executed->batches_room;
        struct executed_batch *more = realloc(executed->batches, room * sizeof(*more));
        executed->no_memory |= !more;
        if (!more)
            return NULL;
        executed->batches = more;
        executed->batches_room = room;
    }
    struct executed_batch *place = &executed->batches[executed->nr_batches++];
    executed->context.mode = (uint8_t)*executed->mode;
    place->batch = (struct flow_batch){.kind = kind, .context = executed->context, .begin = executed->result.begin};
    place->first = first;
    return &place->batch;
}

void executed_end(struct executed *executed)
{
    add_batch(executed, FLOW_BATCH_END, 0)->conditional = executed->conditional;
}

static void count_branches(struct executed *executed, const union flow_item *items, size_t count)
{
    struct flow_result *result = &executed->result;
    if (count == 0)
        return;
    result->branches += count;
    result->last_to = items[count - 1].branch.to;
    for (size_t i = 0; i < count && executed->needs & FLOW_NEED_HASH; i++)
        result->hash = truth_hash(result->hash, items[i].branch.from, items[i].branch.to);
}

/* With FLOW_NEED_LISTING: count and hash branches, and drop them if they are not needed. */
static size_t sort_listed(struct executed *executed)
{
    size_t out = executed->begin;
    for (size_t i = executed->begin; i < executed->proven; i++) {
        const uint8_t tag = executed->tags[i];
        if (flow_tag_is_branch(tag))
            count_branches(executed, &executed->items[i], 1);
        if (flow_tag_is_branch(tag) && !(executed->needs & FLOW_NEED_BRANCHES))
            continue;
        executed->tags[out] = tag;
        executed->items[out++] = executed->items[i];
    }
    return out;
}

/* With FLOW_NEED_TRANSFERS: replace conditional branches by their number, before the next transfer. *before: the number
 * before the first transfer. */
static size_t count_conditional(struct executed *executed, uint64_t *before)
{
    size_t out = executed->begin;
    for (size_t i = executed->begin; i < executed->proven; i++) {
        const uint8_t tag = executed->tags[i];
        const union flow_item item = executed->items[i];
        if (tag == INSTRUCTION_JCC) {
            executed->conditional++;
            continue;
        }
        if (out == executed->begin) {
            *before = executed->conditional;
        } else if (executed->conditional > 0) {
            executed->tags[out] = FLOW_TAG_CONDITIONAL;
            executed->items[out++].conditional = executed->conditional;
        }
        executed->conditional = 0;
        executed->tags[out] = tag;
        executed->items[out++] = item;
    }
    return out;
}

/* Make a batch of the guest's items from begin to proven. */
static void flush_items(struct executed *executed)
{
    size_t end = executed->proven;
    uint64_t conditional = 0;
    if (executed->needs & FLOW_NEED_LISTING) {
        end = sort_listed(executed);
    } else {
        count_branches(executed, executed->items + executed->begin, end - executed->begin);
        if (executed->needs & FLOW_NEED_TRANSFERS)
            end = count_conditional(executed, &conditional);
    }
    struct flow_batch *batch = executed->needs & FLOW_NEED_ITEMS && end > executed->begin
                                   ? add_batch(executed, FLOW_BATCH_ITEMS, executed->begin)
                                   : NULL;
    if (!batch)
        return;
    batch->count = end - executed->begin;
    batch->conditional = conditional;
}

/* Make room for another walk. */
static void grow(struct executed *executed)
{
    const size_t room = 2 * executed->room;
    union flow_item *items = realloc(executed->items, room * sizeof(*items));
    if (items)
        executed->items = items;
    uint8_t *tags = executed->tags ? realloc(executed->tags, room) : NULL;
    if (tags)
        executed->tags = tags;
    if (items && (tags || !executed->tags)) {
        executed->room = room;
        return;
    }
    executed->no_memory = true;
    reuse_room(executed);
}

void executed_flush(struct executed *executed)
{
    if (executed->non_root) {
        executed->result.instructions += executed->proven_instructions;
        if (executed->proven > executed->begin)
            flush_items(executed);
    } else {
        executed->result.root_instructions += executed->proven_instructions;
    }
    executed->instructions -= executed->proven_instructions;
    executed->proven_instructions = 0;
    executed->flushed += executed->proven - executed->begin;
    executed->begin = executed->proven;
    if (executed->nr_batches == 0)
        reuse_room(executed);
    else if (executed->room - executed->used < MOST_ADDED)
        grow(executed);
}

void executed_position(struct executed *executed, bool running, uint64_t ip)
{
    if (!(executed->needs & FLOW_NEED_POSITIONS) || !executed->non_root)
        return;
    executed_flush(executed);
    struct flow_batch *batch = add_batch(executed, FLOW_BATCH_POSITION, 0);
    if (batch)
        batch->position = (struct flow_position){ip, running};
}

const struct flow_batch *executed_next(struct executed *executed)
{
    if (executed->next == executed->nr_batches) {
        reuse_room(executed);
        return NULL;
    }
    struct executed_batch *next = &executed->batches[executed->next++];
    if (next->batch.kind == FLOW_BATCH_ITEMS) {
        next->batch.items = executed->items + next->first;
        next->batch.tags = executed->tags ? executed->tags + next->first : NULL;
    } else if (next->batch.kind == FLOW_BATCH_END) {
        next->batch.result = &executed->result;
    }
    return &next->batch;
}
