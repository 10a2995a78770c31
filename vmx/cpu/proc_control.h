/* The primary processor-based VM-execution controls of the current VMCS, which several files change. Private to vmx/.
 */
#ifndef VMX_CPU_PROC_CONTROL_H
#define VMX_CPU_PROC_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#include "vmx/cpu/cpu.h"

/* vmx/cpu/proc_control.c. Only its own CPU touches it. */
struct proc_control_cpu {
    uint32_t bits; /* as in the VMCS now */
};
CPU_STATE(proc_control)

/* Write the controls that the CPU starts with. */
void proc_control_setup(struct cpu *cpu);

/* Set or clear bits. */
void proc_control_set(struct cpu *cpu, uint32_t bit, bool on);

static inline bool proc_control_is_set(const struct cpu *cpu, uint32_t bit)
{
    return proc_control_of(cpu)->bits & bit;
}

#endif
