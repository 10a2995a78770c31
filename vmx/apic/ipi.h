/* IPIs that root mode sends, and the guest's IPIs that root mode tracks: vmx/apic/ipi.c. Private to vmx/. */
#ifndef VMX_APIC_IPI_H
#define VMX_APIC_IPI_H

#include <stdbool.h>
#include <stdint.h>

#include "vmx/apic/icr.h"

struct cpu;

/* The ICR as root mode found it, so that what the guest was about to send is restored. */
struct lapic_ipi {
    uint64_t icr;
    bool is_guest_init; /* it is an INIT that the guest has sent */
};

/* Around one or more IPIs of root's. */
struct lapic_ipi lapic_ipi_begin(const struct cpu *cpu);
void lapic_ipi_end(struct cpu *cpu, struct lapic_ipi ipi);

void lapic_send_init(struct cpu *cpu, const struct cpu *to);

/* Publish the mode of this CPU's local APIC and its logical ID, on which other CPUs' IPIs to it depend. */
void lapic_ipi_publish(struct cpu *cpu);

/* As published: does an IPI from one CPU reach the other? Not if the local APIC of either is disabled. */
bool lapic_ipi_reaches(const struct cpu *from, const struct cpu *to);

/* Write the ICR in the mode that the APIC is in. Nothing if the APIC is disabled. */
void lapic_icr_write(struct cpu *cpu, uint64_t icr);

/* The guest's command that is about to be written is not root's, even if the value is the same as root's last. */
void lapic_ipi_disown(struct cpu *cpu);

/* The guest's command that is about to be written is an INIT, or a SIPI: record it for its targets. */
void lapic_ipi_note_init(struct cpu *cpu, uint64_t icr);
void lapic_ipi_note_sipi(struct cpu *cpu, uint64_t icr);

/* The guest's command is not written at all: its last command is one that the ICR has never contained. */
void lapic_ipi_not_sent(struct cpu *cpu, uint64_t icr);

/* A CPU as a target of IPIs, as published. */
struct icr_target lapic_ipi_target(const struct cpu *cpu);

/* An INIT has caused a VM exit: has the guest sent one to this CPU, as far as it was recorded? */
bool lapic_take_guest_init(struct cpu *cpu);

/* If the guest's last IPI from this CPU is an INIT, it may have merged with one of root's: send it again. Nothing while
 * the guest's IPIs are watched: then it is recorded at its targets. */
void lapic_resend_init(struct cpu *cpu);

/* If guest code on this CPU has sent a SIPI to that CPU since its INIT, it may have been dropped because the CPU did
 * not wait for it yet: send it again. false: it has not. Unless the guest's IPIs are watched, that is known only if its
 * last IPI is the SIPI. */
bool lapic_resend_sipi(struct cpu *cpu, const struct cpu *to);

/* A SIPI has caused a VM exit of this CPU. */
void lapic_sipi_taken(struct cpu *cpu);

bool lapic_is_x2apic(void);

#endif
