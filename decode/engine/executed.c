#include "decode/engine/executed.h"

#include <stdlib.h>
#include <string.h>

/* Behind a full batch one packet may prove 47 times as much as may be unproven, but is flushed in between; twice, since
 * with an instruction hook there are instructions too. */
#define ROOM (EXECUTED_BATCH + 2 * (EXECUTED_MAX_UNPROVEN + 4096u) + 2)

bool executed_init(struct executed *executed, const struct flow_hooks *hooks)
{
    *executed = (struct executed){.items = malloc(ROOM * sizeof(struct truth_branch)), .hooks = *hooks};
    return executed->items != NULL;
}

void executed_free(struct executed *executed)
{
    free(executed->items);
    executed->items = NULL;
}

void executed_begin(struct executed *executed, struct flow_result *result)
{
    executed->result = result;
    executed->used = executed->proven = 0;
    executed->instructions = executed->proven_instructions = 0;
    executed->blocks = 0;
    executed->tsc = 0;
}

static void hand_on(const struct executed *executed)
{
    const struct flow_hooks *hooks = &executed->hooks;
    for (size_t i = 0; i < executed->proven; i++) {
        const struct truth_branch *item = &executed->items[i];
        if (item->to == EXECUTED_INSTRUCTION)
            hooks->instruction(hooks->context, item->from);
        else if (hooks->branch)
            hooks->branch(hooks->context, item->from, item->to, executed->tsc);
    }
}

static void count_branches(struct executed *executed)
{
    struct flow_result *result = executed->result;
    uint64_t hash = result->hash;
    for (size_t i = 0; i < executed->proven; i++) {
        const struct truth_branch *item = &executed->items[i];
        if (executed->hooks.instruction && item->to == EXECUTED_INSTRUCTION)
            continue;
        hash = truth_hash(hash, item->from, item->to);
        result->branches++;
        result->last_to = item->to;
    }
    result->hash = hash;
}

void executed_flush(struct executed *executed)
{
    struct flow_result *result = executed->result;
    const size_t left = executed->used - executed->proven;
    if (executed->non_root) {
        result->instructions += executed->proven_instructions;
        count_branches(executed);
        if (executed->hooks.branch || executed->hooks.instruction)
            hand_on(executed);
    } else {
        result->root_instructions += executed->proven_instructions;
    }
    executed->instructions -= executed->proven_instructions;
    executed->proven_instructions = 0;
    if (left > 0)
        memmove(executed->items, executed->items + executed->proven, left * sizeof(*executed->items));
    executed->used = left;
    executed->proven = 0;
}
