/* Kind: shell */
#include "vmx/kick.h"

#include "base/io.h"
#include "vmx/cpu.h"

static enum cpu_position position_of(const struct cpu *cpu)
{
    return __atomic_load_n(&cpu->kick.position, __ATOMIC_SEQ_CST);
}

static bool position_change(struct cpu *cpu, enum cpu_position from, enum cpu_position to)
{
    return __atomic_compare_exchange_n(&cpu->kick.position, &from, to, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/* --- into the guest and out of it ------------------------------------------------------------------------------------
 */

/* A CPU that was started while another one acts for it waits until its engine is its own again. */
void kick_leave_guest(struct cpu *cpu)
{
    enum cpu_position position;

    while ((position = position_of(cpu)) == CPU_BORROWED || !position_change(cpu, position, CPU_IN_ROOT))
        io_pause();
    if (position == CPU_KICKED)
        cpu->kick.init_pending = true;
}

/* With an INIT pending, no second one need be sent: the VM exit comes right after the VM entry. */
bool kick_enter_guest(struct cpu *cpu)
{
    if (!machine_has_others())
        return true;
    __atomic_exchange_n(&cpu->kick.position, cpu->kick.init_pending ? CPU_KICKED : CPU_IN_GUEST, __ATOMIC_SEQ_CST);
    if (!kick_is_requested(cpu))
        return true;
    kick_leave_guest(cpu);
    return false;
}

bool kick_guest_executes(const struct cpu *cpu)
{
    return !cpu->kick.init_pending;
}

bool kick_take_init(struct cpu *cpu)
{
    const bool kicked = cpu->kick.init_pending;

    cpu->kick.init_pending = false;
    return kicked;
}

/* --- CPUs that do not serve themselves -------------------------------------------------------------------------------
 */

void kick_wait_for_sipi(struct cpu *cpu)
{
    __atomic_store_n(&cpu->kick.position, CPU_WAIT_FOR_SIPI, __ATOMIC_SEQ_CST);
}

bool kick_waits_for_sipi(const struct cpu *cpu)
{
    const enum cpu_position position = position_of(cpu);

    return position == CPU_WAIT_FOR_SIPI || position == CPU_BORROWED;
}

bool kick_serve_for(struct cpu *cpu, void (*serve)(struct cpu *cpu))
{
    if (!position_change(cpu, CPU_WAIT_FOR_SIPI, CPU_BORROWED))
        return false;
    serve(cpu);
    kick_wait_for_sipi(cpu);
    return true;
}

void kick_park(struct cpu *cpu)
{
    __atomic_store_n(&cpu->kick.position, CPU_PARKED, __ATOMIC_SEQ_CST);
}

bool kick_is_parked(const struct cpu *cpu)
{
    return position_of(cpu) == CPU_PARKED;
}

/* --- requests --------------------------------------------------------------------------------------------------------
 */

void kick_request(void)
{
    __atomic_fetch_add(&machine.kick.requests, 1, __ATOMIC_SEQ_CST);
}

bool kick_is_requested(const struct cpu *cpu)
{
    return cpu->kick.served != __atomic_load_n(&machine.kick.requests, __ATOMIC_SEQ_CST);
}

void kick_serving(struct cpu *cpu)
{
    __atomic_store_n(&cpu->kick.served, __atomic_load_n(&machine.kick.requests, __ATOMIC_SEQ_CST), __ATOMIC_SEQ_CST);
}

void kick_all(struct cpu *self)
{
    if (!machine_has_others())
        return;
    const struct lapic_ipi ipi = lapic_ipi_begin(self);

    for (unsigned i = 0; i < machine.config.nr_cpus; i++) {
        struct cpu *cpu = machine_other(self, i);

        if (cpu && position_change(cpu, CPU_IN_GUEST, CPU_KICKED))
            lapic_send_init(self, cpu->apic_id);
    }
    lapic_ipi_end(self, ipi);
}

void kick_stop(void)
{
    __atomic_store_n(&machine.kick.stopping, true, __ATOMIC_SEQ_CST);
}

bool kick_is_stopping(void)
{
    return __atomic_load_n(&machine.kick.stopping, __ATOMIC_SEQ_CST);
}

/* --- a changed EPT ---------------------------------------------------------------------------------------------------
 */

bool kick_ept_follow(struct cpu *cpu)
{
    const uint64_t generation = __atomic_load_n(&machine.kick.ept_generation, __ATOMIC_SEQ_CST);

    if (cpu->kick.ept_generation == generation)
        return false;
    cpu->kick.ept_generation = generation;
    return true;
}

static bool runs_without(const struct cpu *cpu, uint64_t request)
{
    const enum cpu_position position = position_of(cpu);

    return (position == CPU_IN_GUEST || position == CPU_KICKED) &&
           __atomic_load_n(&cpu->kick.served, __ATOMIC_SEQ_CST) < request;
}

/* This CPU follows its own change itself; but not one that another CPU made since it served last. */
void kick_ept_changed(struct cpu *self)
{
    if (!machine_has_others())
        return;
    const uint64_t generation = __atomic_add_fetch(&machine.kick.ept_generation, 1, __ATOMIC_SEQ_CST),
                   request = __atomic_add_fetch(&machine.kick.requests, 1, __ATOMIC_SEQ_CST);
    kick_all(self);
    for (unsigned i = 0; i < machine.config.nr_cpus; i++) {
        const struct cpu *cpu = machine_other(self, i);

        while (cpu && runs_without(cpu, request))
            io_pause();
    }
    if (self->kick.ept_generation == generation - 1)
        self->kick.ept_generation = generation;
}
