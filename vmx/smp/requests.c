/* Kind: shell */
#include "vmx/smp/requests.h"

#include "base/io.h"
#include "vmx/apic/guest_ipi.h"
#include "vmx/apic/ipi.h"
#include "vmx/cpu/cpu.h"
#include "vmx/cpu/exit_counts.h"
#include "vmx/cpu/fail_stop.h"
#include "vmx/cpu/machine.h"
#include "vmx/smp/kick.h"

/* TSC ticks: how long to wait for another CPU's flush, including the time that it takes to hand over its trace. */
#define FLUSH_WAIT_TSC 60000000000ull
#define STOP_WAIT_TSC 2000000000ull

/* ... for a CPU that was sent a SIPI, to start: at first, and at last. */
#define SIPI_WAIT_TSC 5000ull
#define SIPI_LAST_WAIT_TSC (SIPI_WAIT_TSC << 12)

/* The counts of requested that this CPU has served. Only its own CPU writes them, or the one that acts for it while it
 * waits for SIPI; flushes is atomic, as others wait for it. */
struct requests_cpu {
    uint64_t flushes, triggers, inits;
};
CPU_STATE(requests)

/* Atomic: counted up by any CPU, read without the lock. */
static struct {
    uint64_t flushes;      /* the machine may go down: each CPU hands over all that it has traced */
    uint64_t triggers;     /* pt.trigger= was reached */
    uint64_t inits;        /* a CPU waits for a SIPI that may have been sent before it did */
    uint64_t inits_spread; /* of these, those of which all CPUs have been kicked */
    uint32_t going_down;   /* CPUs that wait for all flushes; all others wait with them */
    bool sleeps;           /* the flush is for a sleep state, S1 to S3; written by the one CPU that brings that about */
} requested;

static uint64_t counter_read(const uint64_t *counter)
{
    return __atomic_load_n(counter, __ATOMIC_SEQ_CST);
}

static void counter_advance(uint64_t *counter)
{
    __atomic_fetch_add(counter, 1, __ATOMIC_SEQ_CST);
}

/* --- serving --------------------------------------------------------------------------------------------------------
 */

static void flush_served(struct cpu *cpu, uint64_t flushes)
{
    __atomic_store_n(&requests_of(cpu)->flushes, flushes, __ATOMIC_SEQ_CST);
}

static void serve_trigger(struct cpu *cpu)
{
    const uint64_t triggers = counter_read(&requested.triggers);

    if (requests_of(cpu)->triggers == triggers)
        return;
    requests_of(cpu)->triggers = triggers;
    pt_trigger(cpu->pt);
}

/* A CPU counts as waiting for SIPI some instructions before it does, so one SIPI may not be enough. A SIPI to a CPU
 * that has started is dropped: SDM "MP Initialization Protocol Algorithm for MP Systems". */
static void sipi_resend(struct cpu *self, const struct cpu *cpu)
{
    for (uint64_t wait = SIPI_WAIT_TSC; kick_waits_for_sipi(cpu) && wait <= SIPI_LAST_WAIT_TSC; wait *= 2) {
        const uint64_t start = tsc_read();

        if (!lapic_resend_sipi(self, cpu))
            return;
        while (kick_waits_for_sipi(cpu) && tsc_read() - start < wait)
            io_pause();
    }
}

static void serve_inits(struct cpu *cpu)
{
    const uint64_t inits = counter_read(&requested.inits);

    if (requests_of(cpu)->inits == inits)
        return;
    requests_of(cpu)->inits = inits;
    if (__atomic_exchange_n(&requested.inits_spread, inits, __ATOMIC_SEQ_CST) != inits)
        kick_those(cpu, NULL);
    for (unsigned i = 0; i < machine.config.nr_cpus; i++) {
        const struct cpu *to = machine_other(cpu, i);

        if (to)
            sipi_resend(cpu, to);
    }
}

static void serve_flush(struct cpu *cpu)
{
    const uint64_t flushes = counter_read(&requested.flushes);

    if (requests_of(cpu)->flushes == flushes)
        return;
    pt_flush_begin(cpu->pt);
    exit_counts_flush(cpu, requested.sleeps);
    flush_served(cpu, flushes);
}

void requests_serve_waiting(void *context)
{
    struct cpu *cpu = context;

    if (!kick_is_requested(cpu))
        return;
    serve_trigger(cpu);
    serve_flush(cpu);
}

void requests_serve(struct cpu *cpu)
{
    serve_trigger(cpu);
    serve_inits(cpu);
    serve_flush(cpu);
    if (kick_is_stopping()) {
        kick_park(cpu);
        cpu_park();
    }
    while (__atomic_load_n(&requested.going_down, __ATOMIC_SEQ_CST)) {
        serve_flush(cpu);
        io_pause();
    }
}

/* --- requesting -----------------------------------------------------------------------------------------------------
 */

/* The guest's SIPIs follow its INIT within microseconds, and are dropped until this CPU is in the wait-for-SIPI state.
 * The CPU that sends them may serve this request before it has sent one. So VM entry follows at once, however many CPUs
 * there are: this CPU kicks only one, which kicks the others (serve_inits). */
void requests_init_taken(struct cpu *self)
{
    if (!machine_has_others())
        return;
    counter_advance(&requested.inits);
    kick_request();
    kick_one(self);
}

static bool has_flushed(const struct cpu *cpu, uint64_t flushes)
{
    return kick_is_parked(cpu) || counter_read(&requests_of(cpu)->flushes) >= flushes;
}

/* This CPU's end record is the last of all. */
static void flush_all(struct cpu *self, uint64_t wait_tsc)
{
    const uint64_t flushes = __atomic_add_fetch(&requested.flushes, 1, __ATOMIC_SEQ_CST), start = tsc_read();

    kick_request();
    pt_flush_begin(self->pt);
    kick_those(self, NULL);
    for (unsigned i = 0; i < machine.config.nr_cpus; i++) {
        struct cpu *cpu = machine_other(self, i);
        struct kick_wait wait = {0};

        while (cpu && !has_flushed(cpu, flushes) && tsc_read() - start < wait_tsc) {
            if (kick_serve_for(cpu, serve_flush))
                continue;
            if (__atomic_load_n(&requested.going_down, __ATOMIC_SEQ_CST) > 1)
                serve_flush(self);              /* another CPU flushes all as well, and waits for this one */
            (void)kick_again(self, cpu, &wait); /* wait_tsc ends it */
            io_pause();
        }
    }
    pt_flush_wait(self->pt);
    exit_counts_flush(self, requested.sleeps);
    flush_served(self, flushes);
    pt_flush_wait(self->pt);
}

void requests_will_sleep(bool sleeps)
{
    requested.sleeps = sleeps;
}

bool requests_sleep(void)
{
    return requested.sleeps;
}

void requests_flush_all(struct cpu *self)
{
    __atomic_fetch_add(&requested.going_down, 1, __ATOMIC_SEQ_CST);
    flush_all(self, FLUSH_WAIT_TSC);
}

void requests_flush_over(void)
{
    __atomic_fetch_sub(&requested.going_down, 1, __ATOMIC_SEQ_CST);
}

void requests_stop_all(struct cpu *self)
{
    kick_stop();
    flush_all(self, STOP_WAIT_TSC);
    kick_park(self);
}

void requests_nmis_sent(struct cpu *self)
{
    kick_request();
    kick_those(self, guest_ipi_has_nmis);
}

static void send_parked(struct cpu *cpu)
{
    pt_flush_parked(cpu->pt);
}

void requests_send_parked(struct cpu *self)
{
    for (unsigned i = 0; i < machine.config.nr_cpus; i++) {
        struct cpu *cpu = machine_other(self, i);

        if (cpu && kick_waits_for_sipi(cpu))
            kick_serve_for(cpu, send_parked);
    }
}

void requests_trigger_all(struct cpu *self)
{
    counter_advance(&requested.triggers);
    kick_request();
    serve_trigger(self);
    kick_those(self, NULL);
    for (unsigned i = 0; i < machine.config.nr_cpus; i++) {
        struct cpu *cpu = machine_other(self, i);

        if (cpu)
            kick_serve_for(cpu, serve_trigger);
    }
}
