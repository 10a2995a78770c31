/*
 * A spin lock that serves in the order of asking. Leaf header: any room's shell may use it.
 *
 * Root runs with interrupts off and its NMI handler takes no lock, so a holder is never interrupted by a CPU's own wish
 * for the same lock. What each lock guards stands beside it. Where two are held at once: the machine's (vmx/machine.h)
 * first, the sink's (serial/sink.h) second.
 */
#ifndef SERIAL_LOCK_H
#define SERIAL_LOCK_H

#include <stdint.h>

struct lock {
    uint32_t next, serving; /* tickets */
};

static inline void lock_take(struct lock *lock)
{
    const uint32_t ticket = __atomic_fetch_add(&lock->next, 1, __ATOMIC_RELAXED);

    while (__atomic_load_n(&lock->serving, __ATOMIC_ACQUIRE) != ticket)
        __asm__ volatile("pause" : : : "memory");
}

static inline void lock_give(struct lock *lock)
{
    __atomic_store_n(&lock->serving, lock->serving + 1, __ATOMIC_RELEASE);
}

#endif
