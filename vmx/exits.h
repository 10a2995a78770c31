/* VM exits and VM entries: the interface of vmx/exit/ for vmx/vmx.c. */
#ifndef VMX_EXITS_H
#define VMX_EXITS_H

#include <stdbool.h>
#include <stdint.h>

struct cpu;

/* Into the current VMCS, which vmcs_setup has filled in: the controls that exits change as the guest runs. */
void exits_setup(struct cpu *cpu);

/* The first VM entry of a prepared CPU. first: at the guest's entry point; else in the wait-for-SIPI state. */
_Noreturn void vmx_start(struct cpu *cpu, bool first);

#endif
