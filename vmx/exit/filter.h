/*
 * Device registers that the guest accesses through functions (struct vmx_filter of vmx/config.h): vmx/exit/filter.c.
 * Private to vmx/exit/.
 */
#ifndef VMX_EXIT_FILTER_H
#define VMX_EXIT_FILTER_H

#include <stdbool.h>
#include <stdint.h>

struct cpu;

/* Is gpa in one of these pages? */
bool filter_has(uint64_t gpa);

/* An access to one of them has exited: step it. The machine's lock is held. qualification: EPT_VIOLATION_* */
void filter_accessed(struct cpu *cpu, uint64_t gpa, uint64_t qualification);

#endif
