/*
 * Arbitration between CPUs of which one executes a page and another writes it. Core.
 *
 * EPT gives a page either write or execute permission, for all CPUs. A CPU that changes the permission gets a turn: for
 * ARBITRATION_TURN_TSC ticks no other CPU may change it back, so that each executes at least the instruction that
 * needed it. Other CPUs that need the page in this time queue, and get it in the order in which they came. The CPU
 * whose turn it is may change the permission back and forth, but if another CPU waits that does not prolong its turn;
 * afterwards it queues as well. So a CPU waits for at most one turn of each CPU that came before it.
 *
 * A turn begins with the VM entry. Before that, the CPU may have to wait for the wire, for any time. If others changed
 * the permission in that time, the CPU would fault again and send the page once more, for ever.
 *
 * A CPU that finds the permission as it needs it neither waits nor gets a turn. Otherwise a CPU that soft PT makes
 * return to a page all the time would keep it from the others for ever.
 *
 * The machine's lock is held for all functions that are not said to be lock-free.
 */
#ifndef VMX_CODE_ARBITRATION_H
#define VMX_CODE_ARBITRATION_H

#include <stdbool.h>
#include <stdint.h>

/* Each CPU waits for at most one page, so that more slots than CPUs (VMX_MAX_CPUS) always leave one without a queue. */
#define ARBITRATION_SLOTS 65u
#define ARBITRATION_TURN_TSC 20000u
#define ARBITRATION_CLOCK_ERROR 20000u /* now may be so much earlier than what another CPU has taken for now */
#define ARBITRATION_NOT_BEGUN UINT64_MAX

/* All zero: free. */
struct arbitration_slot {
    uint64_t gpa;
    uint64_t until;         /* time at which the turn ends (base/trace_clock.h); ARBITRATION_NOT_BEGUN. Atomic */
    uint32_t holder;        /* number + 1 of the CPU whose turn it is; 0: none */
    uint32_t next, serving; /* tickets: the next one to be drawn; the one that may go when the turn ends (atomic) */
};

struct arbitration {
    struct arbitration_slot slots[ARBITRATION_SLOTS];
};

/* One CPU's request for a page. */
struct arbitration_claim {
    struct arbitration_slot *slot; /* of a claim that waits */
    uint32_t ticket;
    bool own_turn; /* the CPU has the turn already */
};

/* May the CPU take the page at once? false: it queues, and must wait until arbitration_is_ready. */
bool arbitration_request(struct arbitration *arbitration, uint32_t cpu, uint64_t gpa, uint64_t now,
                         struct arbitration_claim *claim);

/* Is it the waiting claim's turn? Lock-free: a hint, to be confirmed under the lock. */
bool arbitration_is_ready(const struct arbitration_claim *claim, uint64_t now);

/* The waiting claim is ready and leaves the queue. The CPU then takes the page, or finds that it need not. */
void arbitration_admit(const struct arbitration_claim *claim);

/* The CPU has taken the page: it is its turn. Returns the slot, for arbitration_begin. */
struct arbitration_slot *arbitration_grant(struct arbitration *arbitration, uint32_t cpu, uint64_t gpa,
                                           const struct arbitration_claim *claim);

/* The CPU enters the guest: its turn begins, if it still has it. Lock-free. */
void arbitration_begin(struct arbitration_slot *slot, uint32_t cpu, uint64_t now);

#endif
