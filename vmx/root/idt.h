/* Root mode's interrupt table, one for all CPUs. What its vectors lead to: vmx/root/traps.c. Shell. */
#ifndef VMX_ROOT_IDT_H
#define VMX_ROOT_IDT_H

#include <stdbool.h>

/* with_stacks: NMI, #DF and #MC use the stacks of the TSS (vmx/root/gdt.h). Call it while one CPU runs. */
void idt_fill(bool with_stacks);

/* This CPU uses it. */
void idt_load(void);

#endif
