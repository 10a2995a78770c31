/* Root mode's IDT, which all CPUs share. Its handlers are in vmx/host/traps.c. */
#ifndef VMX_HOST_IDT_H
#define VMX_HOST_IDT_H

#include <stdbool.h>

/* with_stacks: NMI, #DF and #MC use the stacks of the TSS (vmx/host/gdt.h). Only while a single CPU runs. */
void idt_fill(bool with_stacks);

/* Load it on this CPU. */
void idt_load(void);

#endif
