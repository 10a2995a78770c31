/*
 * Root mode's segments and interrupt table, and what an exception in root mode does. Shell.
 */
#ifndef BOOT_GDT_H
#define BOOT_GDT_H

#include <stdint.h>

#include "boot/selectors.h"

/* One CPU's own: GDT, TSS, and stacks for the vectors that can come anywhere: NMI, #DF, #MC. */
#define TRAP_STACK_SIZE 4096u
#define GDT_CPU_SIZE (4u * 4096u)

/* Load a GDT and the IDT that need no memory: exceptions run on the stack at hand. */
void gdt_load_early(void);

/* Build and load this CPU's own at memory (GDT_CPU_SIZE zeroed bytes, page-aligned): CS 8, SS and DS 10H, TR 20H. NMI,
 * #DF and #MC get stacks of their own. */
void gdt_load_cpu(void *memory);

/* Load the IDT; with_stacks: the vectors above use the TSS's stacks. */
void idt_load(int with_stacks);

#endif
