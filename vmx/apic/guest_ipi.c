/* Kind: shell */
/*
 * The guest's IPIs, seen before they are sent. An INIT may merge with one of root's, and the SIPI that follows replaces
 * it in the ICR: it is recorded for its targets.
 *
 * An NMI may merge with a PMI that is pending at its target, or that arrives there between the VM exit by another NMI
 * and root's IRET: SDM "Handling Multiple NMIs". Nothing would show that there were two. So, while PMIs are NMIs, the
 * guest's NMIs to CPUs of the machine are counted at their targets, which are kicked, and not sent at all. Each target
 * injects as many as were counted, except those that would have merged with each other. VISIBLE: those that do not come
 * from an ICR (of LINT1, the chipset, a device) are not seen here, and may still merge with a PMI.
 */
#include "vmx/apic/guest_ipi.h"

#include "vmx/apic/icr.h"
#include "vmx/apic/ipi.h"
#include "vmx/cpu/cpu.h"
#include "vmx/cpu/machine.h"

struct guest_ipi_cpu {
    uint32_t nmis; /* atomic: that guest code on any CPU has sent here */
};
CPU_STATE(guest_ipi)

static void (*kick)(struct cpu *self); /* constant once the machine is prepared */

void guest_ipi_set_kick(void (*nmis_sent)(struct cpu *self))
{
    kick = nmis_sent;
}

bool guest_ipi_has_nmis(const struct cpu *cpu)
{
    return __atomic_load_n(&guest_ipi_of(cpu)->nmis, __ATOMIC_SEQ_CST) != 0;
}

uint32_t guest_ipi_take_nmis(struct cpu *cpu)
{
    return __atomic_exchange_n(&guest_ipi_of(cpu)->nmis, 0, __ATOMIC_SEQ_CST);
}

static bool is_target(const struct cpu *from, const struct cpu *to, uint64_t icr)
{
    const struct icr_target target = lapic_ipi_target(to);
    const bool x2apic = lapic_is_x2apic();

    if (!lapic_ipi_reaches(from, to))
        return false;
    return from == to ? icr_addresses_self(icr, x2apic, &target) : icr_addresses_other(icr, x2apic, &target);
}

/* false: no CPU of the machine is a target. */
static bool nmi_record(struct cpu *cpu, uint64_t icr)
{
    bool recorded = false;

    for (unsigned i = 0; i < machine.config.nr_cpus; i++) {
        struct cpu *to = __atomic_load_n(&machine.cpus[i], __ATOMIC_SEQ_CST);

        if (!to || !is_target(cpu, to, icr))
            continue;
        __atomic_fetch_add(&guest_ipi_of(to)->nmis, 1, __ATOMIC_SEQ_CST);
        recorded = true;
    }
    return recorded;
}

bool guest_ipi_sends(struct cpu *cpu, uint64_t icr)
{
    if ((icr & ICR_MODE_MASK) == ICR_MODE_INIT && (icr & ICR_ASSERT))
        lapic_ipi_note_init(cpu, icr);
    else if ((icr & ICR_MODE_MASK) == ICR_MODE_SIPI)
        lapic_ipi_note_sipi(cpu, icr);
    if (!machine.config.watch_lvtpc || !icr_is_nmi(icr, lapic_is_x2apic()) || !nmi_record(cpu, icr))
        return true;
    lapic_ipi_not_sent(cpu, icr);
    kick(cpu);
    return false;
}
