/* Kind: shell */
#include "vmx/smp/kick.h"

#include "base/io.h"
#include "vmx/apic/ipi.h"
#include "vmx/cpu/cpu.h"
#include "vmx/cpu/machine.h"

enum cpu_position {
    CPU_IN_ROOT,
    CPU_IN_GUEST,
    CPU_KICKED,        /* in the guest, with an INIT of root's on its way */
    CPU_WAIT_FOR_SIPI, /* in the guest, where it executes nothing until a SIPI starts it */
    CPU_BORROWED,      /* the same, and another CPU uses its pt_engine */
    CPU_PARKED         /* stopped for good */
};

/* Atomic: other CPUs read it, and write position; except init_pending, which only its own CPU touches. */
struct kick_cpu {
    enum cpu_position position;
    bool init_pending;       /* an INIT of root's that has not caused its VM exit yet */
    uint64_t served;         /* kicks.requests when this CPU last began to serve */
    uint64_t ept_generation; /* of the tree that this CPU's translations come from */
};
CPU_STATE(kick)

/* Atomic: counted up by any CPU, read without the lock. */
static struct {
    uint64_t requests;       /* counts every request of any kind */
    uint64_t ept_generation; /* counts changes of EPT permissions and memory types */
    bool stopping;           /* a CPU has failed: no other continues */
} kicks;

static enum cpu_position position_of(const struct cpu *cpu)
{
    return __atomic_load_n(&kick_of(cpu)->position, __ATOMIC_SEQ_CST);
}

static bool position_change(struct cpu *cpu, enum cpu_position from, enum cpu_position to)
{
    return __atomic_compare_exchange_n(&kick_of(cpu)->position, &from, to, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
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
        kick_of(cpu)->init_pending = true;
}

/* With an INIT pending, no second one need be sent: the VM exit comes right after the VM entry. */
bool kick_enter_guest(struct cpu *cpu)
{
    if (!machine_has_others())
        return true;
    __atomic_exchange_n(&kick_of(cpu)->position, kick_of(cpu)->init_pending ? CPU_KICKED : CPU_IN_GUEST,
                        __ATOMIC_SEQ_CST);
    if (!kick_is_requested(cpu))
        return true;
    kick_leave_guest(cpu);
    return false;
}

bool kick_guest_executes(const struct cpu *cpu)
{
    return !kick_of(cpu)->init_pending;
}

bool kick_take_init(struct cpu *cpu)
{
    const bool kicked = kick_of(cpu)->init_pending;

    kick_of(cpu)->init_pending = false;
    return kicked;
}

/* --- CPUs that do not serve themselves -------------------------------------------------------------------------------
 */

void kick_wait_for_sipi(struct cpu *cpu)
{
    __atomic_store_n(&kick_of(cpu)->position, CPU_WAIT_FOR_SIPI, __ATOMIC_SEQ_CST);
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
    __atomic_store_n(&kick_of(cpu)->position, CPU_PARKED, __ATOMIC_SEQ_CST);
}

bool kick_is_parked(const struct cpu *cpu)
{
    return position_of(cpu) == CPU_PARKED;
}

/* --- requests --------------------------------------------------------------------------------------------------------
 */

void kick_request(void)
{
    __atomic_fetch_add(&kicks.requests, 1, __ATOMIC_SEQ_CST);
}

bool kick_is_requested(const struct cpu *cpu)
{
    return kick_of(cpu)->served != __atomic_load_n(&kicks.requests, __ATOMIC_SEQ_CST);
}

void kick_serving(struct cpu *cpu)
{
    __atomic_store_n(&kick_of(cpu)->served, __atomic_load_n(&kicks.requests, __ATOMIC_SEQ_CST), __ATOMIC_SEQ_CST);
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
    __atomic_store_n(&kicks.stopping, true, __ATOMIC_SEQ_CST);
}

bool kick_is_stopping(void)
{
    return __atomic_load_n(&kicks.stopping, __ATOMIC_SEQ_CST);
}

/* --- a changed EPT ---------------------------------------------------------------------------------------------------
 */

bool kick_ept_follow(struct cpu *cpu)
{
    const uint64_t generation = __atomic_load_n(&kicks.ept_generation, __ATOMIC_SEQ_CST);

    if (kick_of(cpu)->ept_generation == generation)
        return false;
    kick_of(cpu)->ept_generation = generation;
    return true;
}

static bool runs_without(const struct cpu *cpu, uint64_t request)
{
    const enum cpu_position position = position_of(cpu);

    return (position == CPU_IN_GUEST || position == CPU_KICKED) &&
           __atomic_load_n(&kick_of(cpu)->served, __ATOMIC_SEQ_CST) < request;
}

/* This CPU follows its own change itself; but not one that another CPU made since it served last. */
void kick_ept_changed(struct cpu *self)
{
    if (!machine_has_others())
        return;
    const uint64_t generation = __atomic_add_fetch(&kicks.ept_generation, 1, __ATOMIC_SEQ_CST),
                   request = __atomic_add_fetch(&kicks.requests, 1, __ATOMIC_SEQ_CST);
    kick_all(self);
    for (unsigned i = 0; i < machine.config.nr_cpus; i++) {
        const struct cpu *cpu = machine_other(self, i);

        while (cpu && runs_without(cpu, request))
            io_pause();
    }
    if (kick_of(self)->ept_generation == generation - 1)
        kick_of(self)->ept_generation = generation;
}
