#include "decode/engine/transfers.h"

#include "pt/instruction/instruction.h"

static void hand_on(struct transfers *transfers, const struct flow_hooks *hooks, struct flow_transfers told)
{
    told.items = transfers->items;
    told.count = transfers->count;
    if (transfers->count > 0)
        hooks->transfers(hooks->context, &told);
    transfers->count = 0;
}

static enum flow_transfer_kind kind_of(uint8_t kind)
{
    switch (kind) {
    case INSTRUCTION_CALL_DIRECT:
    case INSTRUCTION_CALL_INDIRECT:
        return FLOW_TRANSFER_CALL;
    case INSTRUCTION_RET:
        return FLOW_TRANSFER_RETURN;
    case INSTRUCTION_FAR_CALL:
        return FLOW_TRANSFER_FAR_CALL;
    case INSTRUCTION_FAR_RETURN:
        return FLOW_TRANSFER_FAR_RETURN;
    case TRANSFERS_EVENT:
        return FLOW_TRANSFER_INTERRUPT;
    default:
        return FLOW_TRANSFER_JUMP;
    }
}

void transfers_take(struct transfers *transfers, const struct flow_hooks *hooks, const struct flow_branch *branches,
                    const uint8_t *kinds, size_t count, struct flow_transfers told)
{
    for (size_t i = 0; i < count; i++) {
        if (kinds[i] == INSTRUCTION_JCC) {
            transfers->before++;
            continue;
        }
        transfers->items[transfers->count++] = (struct flow_transfer){
            .from = branches[i].from, .to = branches[i].to, .before = transfers->before, .kind = kind_of(kinds[i])};
        transfers->before = 0;
        if (transfers->count == TRANSFERS_BATCH)
            hand_on(transfers, hooks, told);
    }
    hand_on(transfers, hooks, told);
}

void transfers_end(struct transfers *transfers, const struct flow_hooks *hooks, struct flow_transfers told)
{
    if (transfers->before > 0)
        transfers->items[transfers->count++] =
            (struct flow_transfer){.before = transfers->before, .kind = FLOW_TRANSFER_JUMP};
    transfers->before = 0;
    hand_on(transfers, hooks, told);
}
