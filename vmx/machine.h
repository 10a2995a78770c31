/*
 * What there is once per machine, and its lock. Everything else that vmx/ remembers is struct cpu's and touched by that
 * CPU alone, except where cpu.h says otherwise. Private to vmx/.
 */
#ifndef VMX_MACHINE_H
#define VMX_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/lock.h"
#include "vmx/vmx.h"

struct cpu;

struct machine {
    struct vmx_machine config; /* as boot/ gave it; constant */

    /* Guards all that follows but the counters below, the EPT tree (vmx/ept.c) and the memory types. Whoever holds it
     * may wait for CPUs to leave the guest, never for one that is in root. */
    struct lock lock;
    struct cpu *holder; /* for vmx/dump.c: a CPU that stops gives it back */
    uint32_t ticket;

    uint32_t config_address; /* what the guest wrote to 0CF8H */
    uint64_t pages_sent;     /* the number of the newest code page: serial/wire/record.h */
    uint64_t trigger_gpa;    /* the page of pt.trigger= */
    bool trigger_sent;       /* ... has been sent as it is */
    bool unguarded; /* no CPU was traced by soft PT, and pages were given execution that may be in its window */

    /* Counted up, read without the lock; vmx/summons.c. */
    uint64_t summons;        /* by each of the following */
    uint64_t ept_generation; /* EPT permissions or memory types have changed */
    uint64_t flushes;        /* the machine may go down: each CPU hands over all that it has traced */
    uint64_t triggers;       /* pt.trigger= was reached */
    uint64_t inits;          /* a CPU waits for a SIPI, which may have come before */
    uint32_t going_down;     /* CPUs that wait for all flushes; the others wait with them */
    bool stopping;           /* a CPU has failed: no other goes on */
    bool sleeps;             /* the flush that is under way is for a sleep (S1 to S3) */

    struct cpu *cpus[VMX_MAX_CPUS]; /* NULL: not in VMX operation yet */
};
extern struct machine machine; /* vmx/vmx.c */

/* Has the machine more CPUs than this one? */
static inline bool machine_has_others(void)
{
    return machine.config.nr_cpus > 1;
}

static inline void machine_lock(struct cpu *cpu)
{
    if (!machine_has_others())
        return;
    machine.ticket = lock_take(&machine.lock);
    machine.holder = cpu;
}

/* Nothing, if this CPU does not hold it. */
static inline void machine_unlock(struct cpu *cpu)
{
    if (!machine_has_others() || machine.holder != cpu)
        return;
    machine.holder = NULL;
    lock_release(&machine.lock, machine.ticket);
}

#endif
