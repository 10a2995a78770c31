#include "decode/engine/executed.h"

#include <stdlib.h>
#include <string.h>

/* Behind a full batch one packet may prove 47 times as much as may be unproven, but is flushed in between; twice, since
 * with an instruction hook there are instructions too. */
#define ROOM (EXECUTED_BATCH + 2 * (EXECUTED_MAX_UNPROVEN + 4096u) + 2)

bool executed_init(struct executed *executed, const struct flow_hooks *hooks, bool hashed)
{
    *executed =
        (struct executed){.items = malloc(ROOM * sizeof(struct flow_branch)), .hooks = *hooks, .hashed = hashed};
    if (hooks->instruction)
        executed->is_instruction = malloc(ROOM * sizeof(bool));
    return executed->items && (!hooks->instruction || executed->is_instruction);
}

void executed_free(struct executed *executed)
{
    free(executed->items);
    free(executed->is_instruction);
    executed->items = NULL;
    executed->is_instruction = NULL;
}

void executed_begin(struct executed *executed, struct flow_result *result)
{
    executed->result = result;
    executed->used = executed->proven = 0;
    executed->instructions = executed->proven_instructions = 0;
    executed->blocks = executed->last_listed = 0;
    executed->tsc = 0;
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
}

/* Branches among instructions. */
static void take_listed(struct executed *executed)
{
    size_t first = 0;
    for (size_t i = 0; i < executed->proven; i++) {
        if (!executed->is_instruction[i])
            continue;
        take_branches(executed, executed->items + first, i - first);
        executed->last_listed = executed->items[i].from;
        executed->hooks.instruction(executed->hooks.context, executed->last_listed);
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
        if (executed->hooks.instruction)
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
    if (left > 0 && executed->is_instruction)
        memmove(executed->is_instruction, executed->is_instruction + executed->proven, left * sizeof(bool));
    executed->used = left;
    executed->proven = 0;
}
