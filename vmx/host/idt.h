/* Root mode's interrupt table, one for all CPUs. What its vectors lead to: vmx/host/traps.c. Shell. */
#ifndef VMX_HOST_IDT_H
#define VMX_HOST_IDT_H

#include <stdbool.h>

/* with_stacks: NMI, #DF and #MC use the stacks of the TSS (vmx/host/gdt.h). Call it while one CPU runs. */
void idt_fill(bool with_stacks);

/* This CPU uses it. */
void idt_load(void);

#endif
