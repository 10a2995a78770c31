/* Kind: shell */
#include "vmx/smp/kick.h"

#include <limits.h>

#include "base/io.h"
#include "base/log.h"
#include "base/msr.h"
#include "base/trace_clock.h"
#include "vmx/apic/ipi.h"
#include "vmx/cpu/cpu.h"
#include "vmx/cpu/fail_stop.h"
#include "vmx/cpu/machine.h"
#include "vmx/cpu/timer.h"
#include "vmx/cpu/vmcs.h"

#define LATE_INIT_TSC (1ll << 28) /* TSC ticks, some 0.1 seconds: an INIT that was sent has arrived by then */

#define IDT_VECTORING_VALID (1u << 31)

enum cpu_position {
    CPU_IN_ROOT,
    CPU_IN_GUEST,
    CPU_KICKED,        /* in the guest, with an INIT of root's on its way */
    CPU_WAIT_FOR_SIPI, /* in the guest, where it executes nothing until a SIPI starts it */
    CPU_BORROWED,      /* the same, and another CPU uses its pt_engine */
    CPU_PARKED         /* stopped for good */
};

/* Atomic: other CPUs read it, and write position and doubt_tsc; except what only its own CPU touches. */
struct kick_cpu {
    enum cpu_position position;
    bool init_pending;  /* an INIT of root's has probably not caused its VM exit yet. Only its own CPU touches it */
    bool init_at_entry; /* init_pending as it was at the last VM entry. Only its own CPU touches it */
    bool unreachable;   /* its local APIC is disabled. Only its own CPU touches it */
    uint64_t doubt_tsc; /* if not 0: from then on, more INITs of root's may arrive than init_pending says */
    uint64_t served;    /* kicks.requests when this CPU last began to serve */
    uint64_t ept_generation; /* of the tree that this CPU's translations come from */
};
CPU_STATE(kick)

/* Atomic: counted up by any CPU, read without the lock. */
static struct {
    uint64_t requests;       /* counts every request of any kind */
    uint64_t ept_generation; /* counts changes of EPT permissions and memory types */
    bool stopping;           /* a CPU has failed: no other continues */
    uint32_t unreachable;    /* CPUs that can neither kick nor be kicked */
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

static void doubt_from_now(struct cpu *cpu)
{
    __atomic_store_n(&kick_of(cpu)->doubt_tsc, trace_clock_here() | 1, __ATOMIC_SEQ_CST);
}

/* A pending INIT exits before the guest's first instruction, and before NMIs, the monitor trap and the preemption timer
 * (SDM "Priority Among Concurrent Events", "Monitor Trap Flag", "VMX-Preemption Timer"). Only the delivery of an
 * injected event comes first, and may exit. So this exit shows that none was pending at VM entry: it was lost, or its
 * sender has been delayed. */
__attribute__((cold, noinline)) static void init_is_missing(struct cpu *cpu)
{
    struct kick_cpu *kick = kick_of(cpu);
    uint64_t doubt = __atomic_load_n(&kick->doubt_tsc, __ATOMIC_SEQ_CST);

    if (vmread32(VMCS_IDT_VECTORING_INFORMATION) & IDT_VECTORING_VALID)
        return;
    if (kick->init_at_entry) {
        kick->init_pending = false;
        doubt_from_now(cpu);
    } else if ((int64_t)(trace_clock(cpu->number) - doubt) > LATE_INIT_TSC) {
        __atomic_compare_exchange_n(&kick->doubt_tsc, &doubt, 0, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    }
}

void kick_exited(struct cpu *cpu, bool by_init)
{
    kick_leave_guest(cpu);
    if (!by_init && (kick_of(cpu)->init_at_entry || __atomic_load_n(&kick_of(cpu)->doubt_tsc, __ATOMIC_RELAXED)))
        init_is_missing(cpu);
}

/* With an INIT pending, no second one need be sent: the VM exit comes right after the VM entry. */
bool kick_enter_guest(struct cpu *cpu)
{
    if (!machine_has_others())
        return true;
    kick_of(cpu)->init_at_entry = kick_of(cpu)->init_pending;
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
    return kicked || __atomic_load_n(&kick_of(cpu)->doubt_tsc, __ATOMIC_SEQ_CST);
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

/* most: of how many CPUs. */
static void kick_up_to(struct cpu *self, unsigned most, bool (*wanted)(const struct cpu *cpu))
{
    if (!machine_has_others())
        return;
    const struct lapic_ipi ipi = lapic_ipi_begin(self);

    for (unsigned i = 0; i < machine.config.nr_cpus && most > 0; i++) {
        struct cpu *cpu = machine_other(self, i);

        if (cpu && (!wanted || wanted(cpu)) && lapic_ipi_reaches(self, cpu) &&
            position_change(cpu, CPU_IN_GUEST, CPU_KICKED)) {
            lapic_send_init(self, cpu);
            most--;
        }
    }
    lapic_ipi_end(self, ipi);
}

void kick_those(struct cpu *self, bool (*wanted)(const struct cpu *cpu))
{
    kick_up_to(self, UINT_MAX, wanted);
}

void kick_one(struct cpu *self)
{
    kick_up_to(self, 1, NULL);
}

static bool is_in_guest(const struct cpu *cpu)
{
    const enum cpu_position position = position_of(cpu);

    return position == CPU_IN_GUEST || position == CPU_KICKED;
}

bool kick_again(struct cpu *self, struct cpu *cpu, struct kick_wait *wait)
{
    const enum kick_step step = kick_wait_step(wait, tsc_read());

    if (step != KICK_STEP_RESEND || !is_in_guest(cpu) || !lapic_ipi_reaches(self, cpu))
        return step != KICK_STEP_GIVE_UP;
    const struct lapic_ipi ipi = lapic_ipi_begin(self);
    doubt_from_now(cpu);
    lapic_send_init(self, cpu);
    lapic_ipi_end(self, ipi);
    return true;
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
    return is_in_guest(cpu) && __atomic_load_n(&kick_of(cpu)->served, __ATOMIC_SEQ_CST) < request;
}

/* Kick all CPUs, and wait until none is in the guest that has not served the request. */
static void kick_out(struct cpu *self, uint64_t request)
{
    kick_those(self, NULL);
    for (unsigned i = 0; i < machine.config.nr_cpus; i++) {
        struct cpu *cpu = machine_other(self, i);
        struct kick_wait wait = {0};

        while (cpu && runs_without(cpu, request)) {
            if (!kick_again(self, cpu, &wait)) {
                log_line("CPU %u does not leave the guest", cpu->number);
                fail_stop(self, "a CPU does not leave the guest");
            }
            io_pause();
        }
    }
}

/* This CPU follows its own change itself; but not one that another CPU made since it served last. */
void kick_ept_changed(struct cpu *self)
{
    if (!machine_has_others())
        return;
    const uint64_t generation = __atomic_add_fetch(&kicks.ept_generation, 1, __ATOMIC_SEQ_CST),
                   request = __atomic_add_fetch(&kicks.requests, 1, __ATOMIC_SEQ_CST);
    kick_out(self, request);
    if (kick_of(self)->ept_generation == generation - 1)
        kick_of(self)->ept_generation = generation;
}

/* --- CPUs that no INIT reaches --------------------------------------------------------------------------------------
 */

void kick_set_unreachable(struct cpu *self, bool unreachable)
{
    if (!machine_has_others() || kick_of(self)->unreachable == unreachable)
        return;
    kick_of(self)->unreachable = unreachable;
    timer_recheck(self);
    if (!unreachable) {
        __atomic_fetch_sub(&kicks.unreachable, 1, __ATOMIC_SEQ_CST);
        return;
    }
    __atomic_fetch_add(&kicks.unreachable, 1, __ATOMIC_SEQ_CST);
    kick_out(self, __atomic_add_fetch(&kicks.requests, 1, __ATOMIC_SEQ_CST));
}

bool kick_by_timer(void)
{
    return __atomic_load_n(&kicks.unreachable, __ATOMIC_SEQ_CST) != 0;
}
