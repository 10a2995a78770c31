/* The VM-exit dispatcher and the way to VM entry: vmx/exits.c, vmx/exit.S. */
#ifndef VMX_EXITS_H
#define VMX_EXITS_H

#include <stdbool.h>

struct cpu;
struct guest_registers;

/* Called by vmx/exit.S: after a VM exit, and when the NMI count was found not to be 0 right before VMRESUME. Both
 * return when the CPU may enter the guest. */
void vmx_exit_dispatch(struct guest_registers *registers);
void vmx_nmi_before_entry(struct guest_registers *registers);

/* The first VM entry of a prepared CPU. first: at the guest's entry point; else in the wait-for-SIPI state. */
_Noreturn void vmx_start(struct cpu *cpu, bool first);

/* vmx/exit.S. Hidden, so that their addresses are formed relative to RIP and not through a GOT. */
#pragma GCC visibility push(hidden)
void vmx_exit_entry(void);
_Noreturn void vmx_launch(struct guest_registers *registers);
extern const char vmx_entry_window_start[], vmx_entry_window_end[];
#pragma GCC visibility pop

#endif
