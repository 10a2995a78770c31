/* Kind: shell */
#include "vmx/summons.h"

#include "base/io.h"
#include "vmx/cpu.h"
#include "vmx/flush.h"
#include "vmx/turns.h"

/* TSC ticks: how long a CPU may take to come, what it has to hand over included. */
#define PATIENCE_TSC 60000000000ull
#define STOP_PATIENCE_TSC 2000000000ull

/* ... and one that was sent a SIPI, to start, at first and at last. */
#define SIPI_TSC 5000ull
#define SIPI_MOST_TSC (SIPI_TSC << 12)

static uint64_t counter_read(const uint64_t *counter)
{
    return __atomic_load_n(counter, __ATOMIC_SEQ_CST);
}

static void counter_advance(uint64_t *counter)
{
    __atomic_fetch_add(counter, 1, __ATOMIC_SEQ_CST);
}

static enum cpu_place place_of(const struct cpu *cpu)
{
    return __atomic_load_n(&cpu->place, __ATOMIC_SEQ_CST);
}

static bool place_change(struct cpu *cpu, enum cpu_place from, enum cpu_place to)
{
    return __atomic_compare_exchange_n(&cpu->place, &from, to, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/* NULL: it runs no guest code, or is the one that asks. */
static struct cpu *other(const struct cpu *self, unsigned i)
{
    struct cpu *cpu = __atomic_load_n(&machine.cpus[i], __ATOMIC_SEQ_CST);

    return cpu == self ? NULL : cpu;
}

/* A CPU that another one speaks for has been started meanwhile: its engine is its own again when that one has done. */
void summons_leave_guest(struct cpu *cpu)
{
    enum cpu_place place;

    while ((place = place_of(cpu)) == CPU_SPOKEN_FOR || !place_change(cpu, place, CPU_IN_ROOT))
        io_pause();
    if (place == CPU_KICKED)
        cpu->init_pending = true;
}

/* An INIT that is pending exits right behind the VM entry, so that no second one need be sent; nor is an instruction
 * executed before it, so that no turn begins. */
bool summons_enter_guest(struct cpu *cpu)
{
    if (!machine_has_others())
        return true;
    __atomic_exchange_n(&cpu->place, cpu->init_pending ? CPU_KICKED : CPU_IN_GUEST, __ATOMIC_SEQ_CST);
    if (cpu->summons_served == counter_read(&machine.summons)) {
        if (cpu->turn && !cpu->init_pending)
            turn_begin(cpu);
        return true;
    }
    summons_leave_guest(cpu);
    return false;
}

/* --- being called ---------------------------------------------------------------------------------------------------
 */

static void pages_seen_tell(struct cpu *cpu)
{
    const uint64_t pages_sent = counter_read(&machine.pages_sent);

    if (cpu->pages_seen == pages_sent)
        return;
    pt_seen(cpu->pt, pages_sent);
    cpu->pages_seen = pages_sent;
}

void summons_pages_seen(struct cpu *cpu)
{
    if (machine.config.map_memory)
        pages_seen_tell(cpu);
}

static void serve_ept(struct cpu *cpu)
{
    if (cpu->ept_generation == counter_read(&machine.ept_generation))
        return;
    cpu->ept_generation = counter_read(&machine.ept_generation);
    step_follow_pages(cpu);
    ept_invalidate(&cpu->view);
    pages_seen_tell(cpu);
    lapic_init_again(cpu);
}

static void flush_served(struct cpu *cpu, uint64_t flushes)
{
    __atomic_store_n(&cpu->flushes_served, flushes, __ATOMIC_SEQ_CST);
}

static void serve_trigger(struct cpu *cpu)
{
    const uint64_t triggers = counter_read(&machine.triggers);

    if (cpu->triggers_served == triggers)
        return;
    cpu->triggers_served = triggers;
    pt_trigger(cpu->pt);
}

static bool waits_for_sipi(const struct cpu *cpu)
{
    const enum cpu_place place = place_of(cpu);

    return place == CPU_WAITS_FOR_SIPI || place == CPU_SPOKEN_FOR;
}

/* It says that it waits some instructions before it does, so one SIPI may not be enough. One that finds it started is
 * dropped: SDM "MP Initialization Protocol Algorithm for MP Systems". */
static void start_again(struct cpu *self, const struct cpu *cpu)
{
    for (uint64_t wait = SIPI_TSC; waits_for_sipi(cpu) && wait <= SIPI_MOST_TSC; wait *= 2) {
        const uint64_t start = tsc_read();

        if (!lapic_sipi_again(self, cpu))
            return;
        while (waits_for_sipi(cpu) && tsc_read() - start < wait)
            io_pause();
    }
}

static void serve_inits(struct cpu *cpu)
{
    const uint64_t inits = counter_read(&machine.inits);

    if (cpu->inits_served == inits)
        return;
    cpu->inits_served = inits;
    for (unsigned i = 0; i < machine.config.nr_cpus; i++) {
        const struct cpu *to = other(cpu, i);

        if (to)
            start_again(cpu, to);
    }
}

static void serve_flush(struct cpu *cpu)
{
    const uint64_t flushes = counter_read(&machine.flushes);

    if (cpu->flushes_served == flushes)
        return;
    pt_flush_begin(cpu->pt);
    flush_end(cpu);
    flush_served(cpu, flushes);
}

/* Also while pt/ lets the guest wait for the wire. */
void summons_serve_waiting(void *context)
{
    struct cpu *cpu = context;

    if (cpu->summons_served == counter_read(&machine.summons))
        return;
    serve_trigger(cpu);
    serve_flush(cpu);
}

static _Noreturn void serve_stop(struct cpu *cpu)
{
    __atomic_store_n(&cpu->place, CPU_PARKED, __ATOMIC_SEQ_CST);
    cpu_park();
}

void summons_serve(struct cpu *cpu)
{
    cpu->summons_served = counter_read(&machine.summons);
    serve_ept(cpu);
    serve_trigger(cpu);
    serve_inits(cpu);
    serve_flush(cpu);
    if (__atomic_load_n(&machine.stopping, __ATOMIC_SEQ_CST))
        serve_stop(cpu);
    while (__atomic_load_n(&machine.going_down, __ATOMIC_SEQ_CST)) {
        serve_flush(cpu);
        io_pause();
    }
}

/* --- calling --------------------------------------------------------------------------------------------------------
 */

static void kick_all(struct cpu *self)
{
    const struct lapic_ipi ipi = lapic_ipi_begin(self);

    for (unsigned i = 0; i < machine.config.nr_cpus; i++) {
        struct cpu *cpu = other(self, i);

        if (cpu && place_change(cpu, CPU_IN_GUEST, CPU_KICKED))
            lapic_send_init(self, cpu->apic_id);
    }
    lapic_ipi_end(self, ipi);
}

static bool runs_without(const struct cpu *cpu, uint64_t summons)
{
    const enum cpu_place place = place_of(cpu);

    return (place == CPU_IN_GUEST || place == CPU_KICKED) &&
           __atomic_load_n(&cpu->summons_served, __ATOMIC_SEQ_CST) < summons;
}

void summons_ept_changed(struct cpu *self)
{
    if (!machine_has_others())
        return;
    counter_advance(&machine.ept_generation);
    const uint64_t summons = __atomic_add_fetch(&machine.summons, 1, __ATOMIC_SEQ_CST);
    kick_all(self);
    for (unsigned i = 0; i < machine.config.nr_cpus; i++) {
        const struct cpu *cpu = other(self, i);

        while (cpu && runs_without(cpu, summons))
            io_pause();
    }
    /* The lock is held: nobody else has changed anything since this CPU looked last. */
    cpu_has_seen_pages(self);
}

void summons_init_taken(struct cpu *self)
{
    if (!machine_has_others())
        return;
    counter_advance(&machine.inits);
    counter_advance(&machine.summons);
    kick_all(self);
}

/* A CPU that waits for SIPI does nothing, and on the way there it had no time to: another one acts for it. */
static bool spoken_for(struct cpu *cpu, void (*serve)(struct cpu *cpu))
{
    if (!place_change(cpu, CPU_WAITS_FOR_SIPI, CPU_SPOKEN_FOR))
        return false;
    serve(cpu);
    __atomic_store_n(&cpu->place, CPU_WAITS_FOR_SIPI, __ATOMIC_SEQ_CST);
    return true;
}

static bool has_flushed(const struct cpu *cpu, uint64_t flushes)
{
    return place_of(cpu) == CPU_PARKED || counter_read(&cpu->flushes_served) >= flushes;
}

/* This CPU's end record is the last of all. */
static void flush_all(struct cpu *self, uint64_t patience)
{
    const uint64_t flushes = __atomic_add_fetch(&machine.flushes, 1, __ATOMIC_SEQ_CST), start = tsc_read();

    counter_advance(&machine.summons);
    pt_flush_begin(self->pt);
    if (machine_has_others())
        kick_all(self);
    for (unsigned i = 0; i < machine.config.nr_cpus; i++) {
        struct cpu *cpu = other(self, i);

        while (cpu && !has_flushed(cpu, flushes) && tsc_read() - start < patience) {
            if (spoken_for(cpu, serve_flush))
                continue;
            if (__atomic_load_n(&machine.going_down, __ATOMIC_SEQ_CST) > 1)
                serve_flush(self); /* another CPU wants the same, and waits for this one */
            io_pause();
        }
    }
    pt_flush_wait(self->pt);
    flush_end(self);
    flush_served(self, flushes);
    pt_flush_wait(self->pt);
}

void summons_flush_all(struct cpu *self)
{
    __atomic_fetch_add(&machine.going_down, 1, __ATOMIC_SEQ_CST);
    flush_all(self, PATIENCE_TSC);
}

void summons_flush_over(void)
{
    __atomic_fetch_sub(&machine.going_down, 1, __ATOMIC_SEQ_CST);
}

void summons_stop_all(struct cpu *self)
{
    __atomic_store_n(&machine.stopping, true, __ATOMIC_SEQ_CST);
    flush_all(self, STOP_PATIENCE_TSC);
    __atomic_store_n(&self->place, CPU_PARKED, __ATOMIC_SEQ_CST);
}

void summons_trigger_all(struct cpu *self)
{
    counter_advance(&machine.triggers);
    counter_advance(&machine.summons);
    serve_trigger(self);
    if (machine_has_others())
        kick_all(self);
    for (unsigned i = 0; i < machine.config.nr_cpus; i++) {
        struct cpu *cpu = other(self, i);

        if (cpu)
            spoken_for(cpu, serve_trigger);
    }
}
