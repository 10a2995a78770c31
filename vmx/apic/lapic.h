/*
 * The guard over the local APIC: vmx/apic/lapic.c; its state after INIT: vmx/apic/reset.c. Private to vmx/.
 */
#ifndef VMX_APIC_LAPIC_H
#define VMX_APIC_LAPIC_H

#include <stdbool.h>
#include <stdint.h>

struct cpu;

void lapic_guard_start(struct cpu *cpu);

/* IA32_APIC_BASE has changed: move the guard, if there is one, to where the registers are now. */
void lapic_guard_follow(struct cpu *cpu);

/* Can root mode work with the local APIC where this value of IA32_APIC_BASE puts it? Not above the memory that root
 * maps, and not over root's own pages. */
bool lapic_base_is_usable(uint64_t base);

/* Is gpa in the guarded page? */
bool lapic_is_guarded(const struct cpu *cpu, uint64_t gpa);

/* An access to the guarded page has exited: step it. */
void lapic_accessed(struct cpu *cpu, uint64_t gpa, bool write);

/* A fetch from the guarded page has exited: the guest executes ones there, whose first instruction is #UD. */
void lapic_fetched(struct cpu *cpu);

/* The guest writes LVTPC, or reads it. false: a reserved bit is set, #GP. */
bool lapic_lvtpc_write(struct cpu *cpu, uint64_t value);
uint32_t lapic_lvtpc_read(const struct cpu *cpu);

/* One of the guest's counters has overflowed: deliver its PMI as the guest's LVTPC says. true: by an NMI, which the
 * caller makes pending. */
bool lapic_guest_pmi(struct cpu *cpu);

/* INIT resets the local APIC. */
void lapic_reset(struct cpu *cpu);

#endif
