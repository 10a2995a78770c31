/* Exits by CPUID: vmx/cpuid.c. Private to vmx/. */
#ifndef VMX_CPUID_H
#define VMX_CPUID_H

#include <stdbool.h>

#include "vmx/exit.h"

exit_handler cpuid_exit;

/* Read what this CPU's own CPUID says about its leaves. */
void cpuid_setup(struct cpu *cpu);

/* Is there a hypervisor below us? */
bool cpuid_has_hypervisor(const struct cpu *cpu);

#endif
