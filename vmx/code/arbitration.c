/* Kind: core */
#include "vmx/code/arbitration.h"

#include <stddef.h>

#include "base/deadline.h"

static bool has_queue(const struct arbitration_slot *slot)
{
    return slot->next != slot->serving;
}

static uint64_t until_of(const struct arbitration_slot *slot)
{
    return __atomic_load_n(&slot->until, __ATOMIC_SEQ_CST);
}

static bool is_over(const struct arbitration_slot *slot, uint64_t now)
{
    const uint64_t until = until_of(slot);

    return until != ARBITRATION_NOT_BEGUN &&
           deadline_is_over(until, now, ARBITRATION_TURN_TSC + ARBITRATION_CLOCK_ERROR);
}

/* The slot of a page. NULL: no CPU has had a turn on the page recently. */
static struct arbitration_slot *slot_find(struct arbitration *arbitration, uint64_t gpa)
{
    for (uint32_t i = 0; i < ARBITRATION_SLOTS; i++)
        if (arbitration->slots[i].holder != 0 && arbitration->slots[i].gpa == gpa)
            return &arbitration->slots[i];
    return NULL;
}

/* A slot for another page: a free one, else the one without a queue whose turn ends first. If that has not ended yet,
 * its CPU may lose its page early. */
static struct arbitration_slot *slot_reuse(struct arbitration *arbitration)
{
    struct arbitration_slot *best = NULL;

    for (uint32_t i = 0; i < ARBITRATION_SLOTS; i++) {
        struct arbitration_slot *slot = &arbitration->slots[i];

        if (slot->holder == 0)
            return slot;
        if (!has_queue(slot) && (!best || until_of(slot) < until_of(best)))
            best = slot;
    }
    return best;
}

bool arbitration_request(struct arbitration *arbitration, uint32_t cpu, uint64_t gpa, uint64_t now,
                         struct arbitration_claim *claim)
{
    struct arbitration_slot *slot = slot_find(arbitration, gpa);

    *claim = (struct arbitration_claim){0};
    if (!slot)
        return true;
    claim->own_turn = slot->holder == cpu + 1 && !is_over(slot, now);
    if (claim->own_turn)
        return true;
    if (!has_queue(slot) && (slot->holder == cpu + 1 || is_over(slot, now)))
        return true;
    claim->slot = slot;
    claim->ticket = slot->next++;
    return false;
}

bool arbitration_is_ready(const struct arbitration_claim *claim, uint64_t now)
{
    return __atomic_load_n(&claim->slot->serving, __ATOMIC_SEQ_CST) == claim->ticket && is_over(claim->slot, now);
}

void arbitration_admit(const struct arbitration_claim *claim)
{
    __atomic_store_n(&claim->slot->serving, claim->ticket + 1, __ATOMIC_SEQ_CST);
}

/* While others wait, a CPU cannot renew its turn by what it does in it. */
struct arbitration_slot *arbitration_grant(struct arbitration *arbitration, uint32_t cpu, uint64_t gpa,
                                           const struct arbitration_claim *claim)
{
    struct arbitration_slot *slot = slot_find(arbitration, gpa);

    if (!slot) {
        slot = slot_reuse(arbitration);
        slot->gpa = gpa;
    } else if (claim->own_turn && has_queue(slot)) {
        return slot;
    }
    slot->holder = cpu + 1;
    __atomic_store_n(&slot->until, ARBITRATION_NOT_BEGUN, __ATOMIC_SEQ_CST);
    return slot;
}

/* At worst this begins a turn too early that another CPU was granted in the same slot at this moment. */
void arbitration_begin(struct arbitration_slot *slot, uint32_t cpu, uint64_t now)
{
    uint64_t until = ARBITRATION_NOT_BEGUN;

    if (slot->holder == cpu + 1)
        __atomic_compare_exchange_n(&slot->until, &until, now + ARBITRATION_TURN_TSC, false, __ATOMIC_SEQ_CST,
                                    __ATOMIC_SEQ_CST);
}
