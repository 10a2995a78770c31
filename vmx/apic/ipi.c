/* Kind: shell */
/*
 * IPIs that root mode sends. In xAPIC mode the ICR is two registers, and root may come between the guest's two writes;
 * in x2APIC mode it is one. VISIBLE: the guest reads the command of root's last IPI in it.
 *
 * Source: SDM "Interrupt Command Register (ICR)", "x2APIC Register Address Space".
 */
#include "vmx/apic/ipi.h"

#include "base/io.h"
#include "base/msr.h"
#include "vmx/apic/registers.h"
#include "vmx/cpu/cpu.h"
#include "vmx/cpu/machine.h"

#define ICR_NOT_ROOTS (~0ull) /* no command that root sends */

#define LDR_SHIFT 24
#define DFR_FLAT (15u << 28)
/* A SIPI that the guest has sent: the CPU that sent it, and the vector. 0: none. */
#define GUEST_SIPI(from, vector) (1u << 31 | (uint32_t)(from) << 8 | (vector))
_Static_assert(VMX_MAX_CPUS <= 1u << 16, "the CPU's number has its place in it");

#define DELIVERY_TSC 100000u /* an IPI leaves within some hundred ticks */

/* Only its own CPU touches it, except guest_init and guest_sipi. Other CPUs read what is published: atomic. */
struct lapic_ipi_cpu {
    uint64_t written;       /* ICR value that root wrote last */
    bool written_in_x2apic; /* ... and whether the APIC was in x2APIC mode then */
    uint64_t guest;         /* ICR value that the guest wrote last, as far as root has seen it */
    bool guest_init; /* atomic: another CPU's guest code has sent an INIT here, which may have merged with a kick */

    uint32_t
        guest_sipi; /* atomic: GUEST_SIPI of the last SIPI to this CPU since its last INIT, while IPIs are watched */

    /* Published. */
    enum lapic_mode mode;
    uint8_t logical_id; /* LDR, in xAPIC mode */
    bool is_flat;       /* ... by DFR, else in clusters */
};
CPU_STATE(lapic_ipi)

bool lapic_is_x2apic(void)
{
    return msr_read(IA32_APIC_BASE) & APIC_BASE_X2APIC;
}

static enum lapic_mode mode_of(const struct cpu *cpu)
{
    return __atomic_load_n(&lapic_ipi_of(cpu)->mode, __ATOMIC_SEQ_CST);
}

void lapic_ipi_publish(struct cpu *cpu)
{
    const uint64_t base = msr_read(IA32_APIC_BASE);
    enum lapic_mode mode = LAPIC_DISABLED;

    if (base & APIC_BASE_ENABLED)
        mode = base & APIC_BASE_X2APIC ? LAPIC_X2APIC : LAPIC_XAPIC;
    if (mode == LAPIC_XAPIC) {
        __atomic_store_n(&lapic_ipi_of(cpu)->logical_id, (uint8_t)(*xapic_register(base, APIC_LDR) >> LDR_SHIFT),
                         __ATOMIC_SEQ_CST);
        __atomic_store_n(&lapic_ipi_of(cpu)->is_flat, (*xapic_register(base, APIC_DFR) & DFR_FLAT) == DFR_FLAT,
                         __ATOMIC_SEQ_CST);
    }
    __atomic_store_n(&lapic_ipi_of(cpu)->mode, mode, __ATOMIC_SEQ_CST);
}

struct icr_target lapic_ipi_target(const struct cpu *cpu)
{
    const struct lapic_ipi_cpu *ipi = lapic_ipi_of(cpu);

    return (struct icr_target){.mode = mode_of(cpu),
                               .apic_id = cpu->apic_id,
                               .logical_id = __atomic_load_n(&ipi->logical_id, __ATOMIC_SEQ_CST),
                               .is_flat = __atomic_load_n(&ipi->is_flat, __ATOMIC_SEQ_CST)};
}

bool lapic_ipi_reaches(const struct cpu *from, const struct cpu *to)
{
    const struct icr_target target = lapic_ipi_target(to);

    return icr_reaches(mode_of(from), &target);
}

/* 0 where the local APIC is disabled: then this CPU sends nothing. */
static uint64_t icr_read(void)
{
    const uint64_t base = msr_read(IA32_APIC_BASE);

    if (!(base & APIC_BASE_ENABLED))
        return 0;
    if (base & APIC_BASE_X2APIC)
        return msr_read(IA32_X2APIC_ICR);
    return (uint64_t)*xapic_register(base, APIC_ICR_HIGH) << 32 |
           (*xapic_register(base, APIC_ICR_LOW) & ~ICR_DELIVERY_STATUS);
}

/* Is it the value that root wrote? In xAPIC mode only the low half counts: the guest may have written the high half for
 * its next command. After a change of mode the high half is undefined. */
static bool is_roots(const struct cpu *cpu, uint64_t icr)
{
    const uint64_t command = lapic_ipi_of(cpu)->written_in_x2apic && lapic_is_x2apic() ? ~0ull : UINT32_MAX;

    return ((icr ^ lapic_ipi_of(cpu)->written) & command) == 0;
}

/* The guest's last command: root's own IPIs replace it in the register. */
static uint64_t guests_last(struct cpu *cpu)
{
    const uint64_t icr = icr_read();

    if (!is_roots(cpu, icr))
        lapic_ipi_of(cpu)->guest = icr;
    return lapic_ipi_of(cpu)->guest;
}

void lapic_ipi_disown(struct cpu *cpu)
{
    lapic_ipi_of(cpu)->written = ICR_NOT_ROOTS;
}

void lapic_icr_write(struct cpu *cpu, uint64_t icr)
{
    const uint64_t base = msr_read(IA32_APIC_BASE);

    if (!(base & APIC_BASE_ENABLED))
        return;
    guests_last(cpu);
    lapic_ipi_of(cpu)->written = icr;
    lapic_ipi_of(cpu)->written_in_x2apic = base & APIC_BASE_X2APIC;
    if (base & APIC_BASE_X2APIC) {
        __asm__ volatile("mfence\n\tlfence" : : : "memory"); /* a write to this MSR does not serialize */
        msr_write(IA32_X2APIC_ICR, icr);
        lapic_ipi_of(cpu)->written = icr_read();
        return;
    }
    const uint64_t start = tsc_read();
    while ((*xapic_register(base, APIC_ICR_LOW) & ICR_DELIVERY_STATUS) && tsc_read() - start < DELIVERY_TSC)
        io_pause(); /* the guest's last IPI has not left yet */
    *xapic_register(base, APIC_ICR_HIGH) = (uint32_t)(icr >> 32);
    *xapic_register(base, APIC_ICR_LOW) = (uint32_t)icr;
}

static bool is_guests_init(const struct cpu *cpu, uint64_t icr)
{
    return (icr & ICR_MODE_MASK) == ICR_MODE_INIT && !is_roots(cpu, icr);
}

struct lapic_ipi lapic_ipi_begin(const struct cpu *cpu)
{
    const uint64_t icr = icr_read();

    return (struct lapic_ipi){.icr = icr, .is_guest_init = is_guests_init(cpu, icr)};
}

static void send(struct cpu *cpu, const struct cpu *to, uint32_t command)
{
    const struct icr_target target = lapic_ipi_target(to);

    lapic_icr_write(cpu, icr_to(&target, lapic_is_x2apic(), command));
}

void lapic_send_init(struct cpu *cpu, const struct cpu *to)
{
    send(cpu, to, ICR_MODE_INIT | ICR_ASSERT);
}

static bool icr_addresses(uint64_t icr, const struct cpu *to)
{
    const struct icr_target target = lapic_ipi_target(to);

    return icr_addresses_other(icr, lapic_is_x2apic(), &target);
}

/* The targets of a guest's INIT will take their next INIT exit for it, whatever merges with it (vmx/exit/startup.c).
 * sends: send them the INIT as root's. */
static void init_note(struct cpu *cpu, uint64_t icr, bool sends)
{
    for (unsigned i = 0; i < machine.config.nr_cpus; i++) {
        struct cpu *to = machine_other(cpu, i);

        if (!to || !icr_addresses(icr, to))
            continue;
        __atomic_store_n(&lapic_ipi_of(to)->guest_sipi, 0, __ATOMIC_SEQ_CST);
        __atomic_store_n(&lapic_ipi_of(to)->guest_init, true, __ATOMIC_SEQ_CST);
        if (sends)
            lapic_send_init(cpu, to);
    }
}

bool lapic_take_guest_init(struct cpu *cpu)
{
    return __atomic_exchange_n(&lapic_ipi_of(cpu)->guest_init, false, __ATOMIC_SEQ_CST);
}

void lapic_ipi_not_sent(struct cpu *cpu, uint64_t icr)
{
    lapic_ipi_of(cpu)->guest = icr;
    lapic_ipi_of(cpu)->written = icr_read();
    lapic_ipi_of(cpu)->written_in_x2apic = lapic_is_x2apic();
}

void lapic_ipi_note_init(struct cpu *cpu, uint64_t icr)
{
    init_note(cpu, icr, false);
}

void lapic_ipi_note_sipi(struct cpu *cpu, uint64_t icr)
{
    for (unsigned i = 0; i < machine.config.nr_cpus; i++) {
        struct cpu *to = machine_other(cpu, i);

        if (to && icr_addresses(icr, to))
            __atomic_store_n(&lapic_ipi_of(to)->guest_sipi, GUEST_SIPI(cpu->number, icr & ICR_VECTOR),
                             __ATOMIC_SEQ_CST);
    }
}

void lapic_sipi_taken(struct cpu *cpu)
{
    __atomic_store_n(&lapic_ipi_of(cpu)->guest_sipi, 0, __ATOMIC_SEQ_CST);
}

/* INIT is asserted by an edge, or by a level that is de-asserted later: each of these commands was an INIT. In x2APIC
 * mode it is sent as root's, so that the guest's next INIT is another value, even if it is the same command. */
static void init_resend(struct cpu *cpu, uint64_t icr)
{
    const bool x2apic = lapic_is_x2apic();

    init_note(cpu, icr, x2apic);
    if (!x2apic)
        lapic_icr_write(cpu, icr | ICR_ASSERT);
}

void lapic_ipi_end(struct cpu *cpu, struct lapic_ipi ipi)
{
    const uint64_t base = msr_read(IA32_APIC_BASE);

    if (icr_read() == ipi.icr)
        return;
    if (ipi.is_guest_init && !machine.config.watch_ipis) /* else it is recorded */
        init_resend(cpu, ipi.icr);
    else if ((base & APIC_BASE_ENABLED) && !(base & APIC_BASE_X2APIC))
        *xapic_register(base, APIC_ICR_HIGH) = (uint32_t)(ipi.icr >> 32);
}

void lapic_resend_init(struct cpu *cpu)
{
    const uint64_t icr = icr_read();

    if (!machine.config.watch_ipis && is_guests_init(cpu, icr))
        init_resend(cpu, icr);
}

/* Has guest code on this CPU sent that CPU a SIPI that may have been dropped? */
static bool sipi_to(uint32_t *vector, struct cpu *cpu, const struct cpu *to)
{
    const uint64_t icr = guests_last(cpu);
    const uint32_t sipi = __atomic_load_n(&lapic_ipi_of(to)->guest_sipi, __ATOMIC_SEQ_CST);

    if (machine.config.watch_ipis) {
        *vector = sipi & ICR_VECTOR;
        return sipi == GUEST_SIPI(cpu->number, *vector);
    }
    *vector = (uint32_t)icr & ICR_VECTOR;
    return (icr & ICR_MODE_MASK) == ICR_MODE_SIPI && icr_addresses(icr, to);
}

bool lapic_resend_sipi(struct cpu *cpu, const struct cpu *to)
{
    uint32_t vector;

    if (!sipi_to(&vector, cpu, to))
        return false;
    const struct lapic_ipi ipi = lapic_ipi_begin(cpu);
    send(cpu, to, ICR_MODE_SIPI | ICR_ASSERT | vector);
    lapic_ipi_end(cpu, ipi);
    return true;
}
