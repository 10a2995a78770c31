/*
 * Branches that are not conditional, picked out of all, for who asks for flow_hooks.transfers.
 */
#ifndef DECODE_ENGINE_TRANSFERS_H
#define DECODE_ENGINE_TRANSFERS_H

#include <stddef.h>
#include <stdint.h>

#include "decode/engine/flow.h"

/* The kind of a branch that no instruction made. */
#define TRANSFERS_EVENT 0xffu

/* Handed on at the latest when there are so many. */
#define TRANSFERS_BATCH 1024u

struct transfers {
    struct flow_transfer items[TRANSFERS_BATCH];
    size_t count;
    uint32_t before; /* conditional branches since the last one */
};

/* Pick them out of count branches, of these kinds (enum instruction_kind, or TRANSFERS_EVENT), and hand them on as told
 * says: time, CR3 and trace offset are those of all. */
void transfers_take(struct transfers *transfers, const struct flow_hooks *hooks, const struct flow_branch *branches,
                    const uint8_t *kinds, size_t count, struct flow_transfers told);

/* The stretch is at its end: tell of the conditional branches that are left. */
void transfers_end(struct transfers *transfers, const struct flow_hooks *hooks, struct flow_transfers told);

#endif
