/* What this CPU's own CPUID says: vmx/exit/cpuid.c. Private to vmx/exit/. */
#ifndef VMX_EXIT_CPUID_H
#define VMX_EXIT_CPUID_H

#include <stdbool.h>

struct cpu;

void cpuid_setup(struct cpu *cpu);

/* Is there a hypervisor below us? */
bool cpuid_has_hypervisor(const struct cpu *cpu);

/* The width of physical addresses. */
unsigned cpuid_address_bits(const struct cpu *cpu);

#endif
