/* Root mode's GDT and TSS. */
#ifndef VMX_HOST_GDT_H
#define VMX_HOST_GDT_H

#include <stdint.h>

#include "vmx/host/selectors.h"

/* Memory for each CPU's GDT, TSS, and interrupt stacks of NMI, #DF and #MC, which can occur anywhere. */
#define TRAP_STACK_SIZE 4096u
#define GDT_CPU_SIZE (4u * 4096u)

/* Load a static GDT and the IDT, before memory can be allocated. Exceptions use the current stack. */
void gdt_load_early(void);

/* Build this CPU's GDT and TSS at memory (GDT_CPU_SIZE zeroed bytes, page-aligned), and load them and the IDT. */
void gdt_load_cpu(void *memory, uint16_t number);

/* The same without loading TR, which can never be loaded with a null selector again, as firmware may have it. The IDT
 * must use no stacks then (idt_fill). gdt_load_cpu may follow. */
void gdt_load_without_task(void *memory, uint16_t number);

/* The number given to gdt_load_cpu on this CPU, 0 before that. Root mode only: it reads GDTR. */
uint16_t gdt_cpu_number(void);

/* Fill in all of the GDT_NR_ENTRIES entries except the TSS descriptor. */
void gdt_fill(uint64_t *gdt);

#endif
