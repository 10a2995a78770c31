#include "decode/engine/executed.h"

#include <stdlib.h>
#include <string.h>

/* Behind a full batch one packet may prove 47 times as much as may be unproven, but is flushed in between; three times,
 * since with a block hook each may be a block, of two items, and a branch. */
#define ROOM (EXECUTED_BATCH + 3 * (EXECUTED_MAX_UNPROVEN + 4096u) + 3)

bool executed_init(struct executed *executed, const struct flow_hooks *hooks, const struct flow_input *input)
{
    *executed = (struct executed){.items = malloc(ROOM * sizeof(struct flow_branch)),
                                  .hooks = *hooks,
                                  .hashed = input->hashed,
                                  .placed = input->placed};
    const bool listed = hooks->instruction || hooks->block;
    if (listed)
        executed->is_listed = malloc(ROOM * sizeof(bool));
    if (hooks->transfers || hooks->batch)
        executed->kinds = malloc(ROOM);
    if (hooks->transfers)
        executed->transfers = calloc(1, sizeof(*executed->transfers));
    return executed->items && (!listed || executed->is_listed) &&
           (!(hooks->transfers || hooks->batch) || executed->kinds) && (!hooks->transfers || executed->transfers);
}

void executed_free(struct executed *executed)
{
    free(executed->items);
    free(executed->is_listed);
    free(executed->kinds);
    free(executed->transfers);
    executed->items = NULL;
    executed->is_listed = NULL;
    executed->kinds = NULL;
    executed->transfers = NULL;
}

void executed_begin(struct executed *executed, struct flow_result *result)
{
    executed->result = result;
    executed->used = executed->proven = 0;
    executed->instructions = executed->proven_instructions = 0;
    executed->blocks = executed->last_listed = 0;
    executed->tsc = 0;
    executed->cr3 = FLOW_CR3_UNKNOWN;
    executed->handed_on = 0;
}

static struct flow_transfers transfers_of(const struct executed *executed)
{
    return (struct flow_transfers){
        .tsc = executed->tsc, .cr3 = executed->cr3, .at = executed->at, .begin = executed->result->begin};
}

void executed_end(struct executed *executed)
{
    if (executed->transfers)
        transfers_end(executed->transfers, &executed->hooks, transfers_of(executed));
    if (executed->hooks.result)
        executed->hooks.result(executed->hooks.context, executed->result);
}

/* Some branches in a row. */
static void take_branches(struct executed *executed, const struct flow_branch *items, size_t count)
{
    struct flow_result *result = executed->result;
    if (count == 0)
        return;
    result->branches += count;
    result->last_to = items[count - 1].to;
    for (size_t i = 0; i < count && executed->hashed; i++)
        result->hash = truth_hash(result->hash, items[i].from, items[i].to);
    if (executed->hooks.branches)
        executed->hooks.branches(executed->hooks.context, items, count, executed->tsc);
    if (executed->hooks.batch) {
        const struct flow_batch batch = {.items = items,
                                         .kinds = executed->kinds + (items - executed->items),
                                         .count = count,
                                         .tsc = executed->tsc,
                                         .cr3 = executed->cr3,
                                         .at = executed->at};
        executed->hooks.batch(executed->hooks.context, &batch);
    }
    if (executed->transfers)
        transfers_take(executed->transfers, &executed->hooks, items, executed->kinds + (items - executed->items), count,
                       transfers_of(executed));
}

static void take_block(const struct executed *executed, const struct flow_branch *items)
{
    const struct flow_block block = {.first = items[0].from,
                                     .last = items[1].from - (items[1].to >> 32),
                                     .end = items[1].from,
                                     .instructions = (uint32_t)items[1].to};
    executed->hooks.block(executed->hooks.context, &block);
}

/* Branches among instructions or blocks. */
static void take_listed(struct executed *executed)
{
    size_t first = 0;
    for (size_t i = 0; i < executed->proven; i++) {
        if (!executed->is_listed[i])
            continue;
        take_branches(executed, executed->items + first, i - first);
        if (executed->hooks.block) {
            take_block(executed, &executed->items[i++]);
        } else {
            executed->last_listed = executed->items[i].from;
            executed->hooks.instruction(executed->hooks.context, executed->last_listed);
        }
        first = i + 1;
    }
    take_branches(executed, executed->items + first, executed->proven - first);
}

void executed_flush(struct executed *executed)
{
    struct flow_result *result = executed->result;
    const size_t left = executed->used - executed->proven;
    if (executed->non_root) {
        result->instructions += executed->proven_instructions;
        if (executed->hooks.instruction || executed->hooks.block)
            take_listed(executed);
        else
            take_branches(executed, executed->items, executed->proven);
    } else {
        result->root_instructions += executed->proven_instructions;
    }
    executed->instructions -= executed->proven_instructions;
    executed->proven_instructions = 0;
    if (left > 0)
        memmove(executed->items, executed->items + executed->proven, left * sizeof(*executed->items));
    if (left > 0 && executed->is_listed)
        memmove(executed->is_listed, executed->is_listed + executed->proven, left * sizeof(bool));
    if (left > 0 && executed->kinds)
        memmove(executed->kinds, executed->kinds + executed->proven, left);
    executed->handed_on += executed->proven;
    executed->used = left;
    executed->proven = 0;
}

void executed_stand(struct executed *executed, bool runs, uint64_t ip)
{
    if (!executed->hooks.stand || !executed->non_root)
        return;
    const struct flow_stand stand = {
        .ip = ip, .runs = runs, .tsc = executed->tsc, .cr3 = executed->cr3, .at = executed->at};
    executed_flush(executed);
    executed->hooks.stand(executed->hooks.context, &stand);
}
