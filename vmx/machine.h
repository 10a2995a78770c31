/*
 * What exists once per machine, and its lock. Each member belongs to the file that its struct's header names. Private
 * to vmx/.
 */
#ifndef VMX_MACHINE_H
#define VMX_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/lock.h"
#include "vmx/code/code.h"
#include "vmx/kick.h"
#include "vmx/power.h"
#include "vmx/requests.h"
#include "vmx/soft/soft.h"
#include "vmx/vmx.h"

struct cpu;

struct machine {
    struct vmx_machine config; /* as boot/ gave it; constant */

    /* Guards struct code_machine, struct soft_machine, config_address, the EPT tree with all views (vmx/ept.c) and the
     * memory types. Its holder may wait for CPUs to leave the guest, never for a CPU in root mode. */
    struct lock lock;
    struct cpu *holder; /* for vmx/fail_stop.c: a CPU that stops releases the lock */
    uint32_t ticket;

    uint32_t config_address; /* vmx/io_instruction.c: what the guest wrote to 0CF8H */
    struct code_machine code;
    struct soft_machine soft;
    struct kick_machine kick;
    struct requests_machine requests;
    struct power_machine power;

    struct cpu *cpus[VMX_MAX_CPUS]; /* atomic; NULL: not in VMX operation yet */
};
extern struct machine machine;

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
