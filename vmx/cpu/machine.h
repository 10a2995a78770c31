/*
 * The machine: its configuration, its CPUs, and the lock. What else exists once per machine is a variable of the file
 * that it belongs to, whose comment says which lock guards it. Private to vmx/.
 */
#ifndef VMX_CPU_MACHINE_H
#define VMX_CPU_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/lock.h"
#include "vmx/config.h"

struct cpu;

struct machine {
    struct vmx_machine config; /* as boot/ gave it; constant */

    /* Guards the EPT tree with all views and the memory types (vmx/ept/ept.h), most of vmx/code/, and where a comment
     * says so. Its holder may wait for CPUs to leave the guest, never for a CPU in root mode. */
    struct lock lock;
    struct cpu *holder; /* for vmx/cpu/fail_stop.c: a CPU that stops releases the lock */
    uint32_t ticket;

    struct cpu *cpus[VMX_MAX_CPUS]; /* atomic; NULL: not in VMX operation yet */
};
extern struct machine machine;

/* Does the BIOS's INT 15h handler begin in this page? It never becomes executable: vmx/exit/bios_call.c. */
static inline bool machine_is_bios_page(uint64_t page)
{
    return machine.config.bios.handler && page == (machine.config.bios.handler & ~0xfffu);
}

/* Has the machine more CPUs than this one? */
static inline bool machine_has_others(void)
{
    return machine.config.nr_cpus > 1;
}

/* The CPU number i in VMX operation, unless it is self. NULL: there is none. */
static inline struct cpu *machine_other(const struct cpu *self, unsigned i)
{
    struct cpu *cpu = __atomic_load_n(&machine.cpus[i], __ATOMIC_SEQ_CST);

    return cpu == self ? NULL : cpu;
}

static inline void machine_lock(struct cpu *cpu)
{
    if (!machine_has_others())
        return;
    machine.ticket = lock_take(&machine.lock);
    machine.holder = cpu;
}

/* Nothing, unless this CPU holds it. */
static inline void machine_unlock(struct cpu *cpu)
{
    if (!machine_has_others() || machine.holder != cpu)
        return;
    machine.holder = NULL;
    lock_release(&machine.lock, machine.ticket);
}

#endif
