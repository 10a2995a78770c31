/* The guest's IPIs, seen before they are sent: vmx/apic/guest_ipi.c. Private to vmx/. */
#ifndef VMX_APIC_GUEST_IPI_H
#define VMX_APIC_GUEST_IPI_H

#include <stdbool.h>
#include <stdint.h>

struct cpu;

/* Which function makes other CPUs take their NMIs (requests_nmis_sent). Before any guest sends one. */
void guest_ipi_set_kick(void (*nmis_sent)(struct cpu *self));

/* The guest is about to write this value to the ICR. false: nothing is left to be sent; do not write the ICR. */
bool guest_ipi_sends(struct cpu *cpu, uint64_t icr);

/* Are there NMIs of the guest's that the CPU has not taken? Take one's own: how many there are. */
bool guest_ipi_has_nmis(const struct cpu *cpu);
uint32_t guest_ipi_take_nmis(struct cpu *cpu);

#endif
