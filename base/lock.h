/*
 * A ticket spin lock: CPUs get it in the order of their tickets.
 *
 * Root mode runs with interrupts off and its NMI handler takes no lock, so only a fault in the hypervisor can come
 * between taking and releasing. A CPU that has to wait for anything else releases the lock first.
 */
#ifndef BASE_LOCK_H
#define BASE_LOCK_H

#include <stdbool.h>
#include <stdint.h>

/* All zero: free. */
struct lock {
    uint32_t next;    /* the next free ticket */
    uint32_t serving; /* the ticket that holds the lock, or may take it */
};

/* Returns the ticket, for lock_release. */
static inline uint32_t lock_take(struct lock *lock)
{
    const uint32_t ticket = __atomic_fetch_add(&lock->next, 1, __ATOMIC_RELAXED);

    while (__atomic_load_n(&lock->serving, __ATOMIC_ACQUIRE) != ticket)
        __builtin_ia32_pause();
    return ticket;
}

/* Does nothing if the lock was taken away meanwhile (lock_take_by_force). */
static inline void lock_release(struct lock *lock, uint32_t ticket)
{
    if (__atomic_load_n(&lock->serving, __ATOMIC_RELAXED) == ticket)
        __atomic_store_n(&lock->serving, ticket + 1, __ATOMIC_RELEASE);
}

/* For a CPU that stops after a fault. If a holder does not release the lock within this number of TSC ticks, it is
 * taken from it: the holder has stopped, perhaps on this CPU. */
static inline uint32_t lock_take_by_force(struct lock *lock, uint64_t ticks)
{
    const uint32_t ticket = __atomic_fetch_add(&lock->next, 1, __ATOMIC_RELAXED);
    uint32_t holder = ticket;
    uint64_t since = 0;

    for (;;) {
        const uint32_t serving = __atomic_load_n(&lock->serving, __ATOMIC_ACQUIRE);
        const uint64_t now = __builtin_ia32_rdtsc();

        if (serving == ticket)
            return ticket;
        if (serving != holder) {
            holder = serving;
            since = now;
        } else if (now - since >= ticks) {
            lock_release(lock, holder);
        }
        __builtin_ia32_pause();
    }
}

#endif
