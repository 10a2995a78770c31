/* Kind: shell */
#include "vmx/requests.h"

#include "base/io.h"
#include "vmx/cpu.h"
#include "vmx/ept.h"
#include "vmx/fail_stop.h"

/* TSC ticks: how long to wait for another CPU's flush, including the time that it takes to hand over its trace. */
#define FLUSH_WAIT_TSC 60000000000ull
#define STOP_WAIT_TSC 2000000000ull

/* ... for a CPU that was sent a SIPI, to start: at first, and at last. */
#define SIPI_WAIT_TSC 5000ull
#define SIPI_LAST_WAIT_TSC (SIPI_WAIT_TSC << 12)

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

static void serve_ept(struct cpu *cpu)
{
    if (!kick_ept_follow(cpu))
        return;
    step_follow_pages(cpu);
    ept_invalidate(&cpu->view);
    code_publish_seen(cpu);
    lapic_resend_init(cpu);
}

static void flush_served(struct cpu *cpu, uint64_t flushes)
{
    __atomic_store_n(&cpu->requests.flushes, flushes, __ATOMIC_SEQ_CST);
}

static void serve_trigger(struct cpu *cpu)
{
    const uint64_t triggers = counter_read(&machine.requests.triggers);

    if (cpu->requests.triggers == triggers)
        return;
    cpu->requests.triggers = triggers;
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
    const uint64_t inits = counter_read(&machine.requests.inits);

    if (cpu->requests.inits == inits)
        return;
    cpu->requests.inits = inits;
    for (unsigned i = 0; i < machine.config.nr_cpus; i++) {
        const struct cpu *to = machine_other(cpu, i);

        if (to)
            sipi_resend(cpu, to);
    }
}

static void serve_flush(struct cpu *cpu)
{
    const uint64_t flushes = counter_read(&machine.requests.flushes);

    if (cpu->requests.flushes == flushes)
        return;
    pt_flush_begin(cpu->pt);
    exit_counts_flush(cpu);
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
    kick_serving(cpu);
    serve_ept(cpu);
    serve_trigger(cpu);
    serve_inits(cpu);
    serve_flush(cpu);
    if (kick_is_stopping()) {
        kick_park(cpu);
        cpu_park();
    }
    while (__atomic_load_n(&machine.requests.going_down, __ATOMIC_SEQ_CST)) {
        serve_flush(cpu);
        io_pause();
    }
}

/* --- requesting -----------------------------------------------------------------------------------------------------
 */

void requests_init_taken(struct cpu *self)
{
    if (!machine_has_others())
        return;
    counter_advance(&machine.requests.inits);
    kick_request();
    kick_all(self);
}

static bool has_flushed(const struct cpu *cpu, uint64_t flushes)
{
    return kick_is_parked(cpu) || counter_read(&cpu->requests.flushes) >= flushes;
}

/* This CPU's end record is the last of all. */
static void flush_all(struct cpu *self, uint64_t wait_tsc)
{
    const uint64_t flushes = __atomic_add_fetch(&machine.requests.flushes, 1, __ATOMIC_SEQ_CST), start = tsc_read();

    kick_request();
    pt_flush_begin(self->pt);
    kick_all(self);
    for (unsigned i = 0; i < machine.config.nr_cpus; i++) {
        struct cpu *cpu = machine_other(self, i);

        while (cpu && !has_flushed(cpu, flushes) && tsc_read() - start < wait_tsc) {
            if (kick_serve_for(cpu, serve_flush))
                continue;
            if (__atomic_load_n(&machine.requests.going_down, __ATOMIC_SEQ_CST) > 1)
                serve_flush(self); /* another CPU flushes all as well, and waits for this one */
            io_pause();
        }
    }
    pt_flush_wait(self->pt);
    exit_counts_flush(self);
    flush_served(self, flushes);
    pt_flush_wait(self->pt);
}

void requests_flush_all(struct cpu *self)
{
    __atomic_fetch_add(&machine.requests.going_down, 1, __ATOMIC_SEQ_CST);
    flush_all(self, FLUSH_WAIT_TSC);
}

void requests_flush_over(void)
{
    __atomic_fetch_sub(&machine.requests.going_down, 1, __ATOMIC_SEQ_CST);
}

void requests_stop_all(struct cpu *self)
{
    kick_stop();
    flush_all(self, STOP_WAIT_TSC);
    kick_park(self);
}

void requests_trigger_all(struct cpu *self)
{
    counter_advance(&machine.requests.triggers);
    kick_request();
    serve_trigger(self);
    kick_all(self);
    for (unsigned i = 0; i < machine.config.nr_cpus; i++) {
        struct cpu *cpu = machine_other(self, i);

        if (cpu)
            kick_serve_for(cpu, serve_trigger);
    }
}
