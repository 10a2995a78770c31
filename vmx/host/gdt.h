/* Root mode's segments. Shell. */
#ifndef VMX_HOST_GDT_H
#define VMX_HOST_GDT_H

#include <stdint.h>

#include "vmx/host/selectors.h"

/* One CPU's own: GDT, TSS, and stacks for the vectors that can come anywhere: NMI, #DF, #MC. */
#define TRAP_STACK_SIZE 4096u
#define GDT_CPU_SIZE (4u * 4096u)

/* Load a GDT and the IDT that need no memory: exceptions run on the stack at hand. */
void gdt_load_early(void);

/* Build and load this CPU's own at memory (GDT_CPU_SIZE zeroed bytes, page-aligned): CS 8, SS and DS 10H, TR 20H; then
 * load the IDT. */
void gdt_load_cpu(void *memory, uint16_t number);

/* The number that this CPU's GDT was built with, 0 before. In root mode only: the guest has a GDT of its own. */
uint16_t gdt_cpu_number(void);

/* Fill a GDT but for its TSS: GDT_NR_ENTRIES entries. */
void gdt_fill(uint64_t *gdt);

#endif
