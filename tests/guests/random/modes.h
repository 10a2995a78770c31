/* Random code outside IA-32e mode, and segments with a base in it: what modes*.c share. */
#ifndef TESTS_GUESTS_RANDOM_MODES_H
#define TESTS_GUESTS_RANDOM_MODES_H

#include "random.h"

/* Registers at MODES_AT, 32 bits each; modes.S has the offsets. */
struct modes_registers {
    uint32_t eax, ecx, edx, ebx, unused, ebp, esi, edi;
    uint32_t eip, cs, eflags, esp, ss, es, ds, fs, gs;
    uint32_t vector, error, cr2, dr6;
    uint32_t cr0, cr3, cr4, how;
};
_Static_assert(offsetof(struct modes_registers, eip) == MODES_EIP, "random.h");
_Static_assert(offsetof(struct modes_registers, esp) == MODES_ESP, "random.h");
_Static_assert(offsetof(struct modes_registers, vector) == MODES_VECTOR, "random.h");
_Static_assert(offsetof(struct modes_registers, how) == MODES_HOW, "random.h");

enum modes_paging { PAGING_OFF, PAGING_32, PAGING_PAE };

/* --- modes.S --- */
extern uint8_t modes_text_start[], modes_text_end[], modes_data_start[], modes_data_end[], modes_stubs[],
    modes_sysenter[], modes_double_fault[], modes_stack_top[], real_prepare[], real_start[], real_end[];
extern uint64_t modes_idt[256];
extern uint32_t modes_tss[], modes_double_fault_tss[];
void modes_switch(void);

/* --- modes_segments.c --- */
/* Once: gates, and descriptors that stay. */
void modes_segments_prepare(void);
/* A seed's own descriptors: RANDOM_CODE and RANDOM_DATA with these bases, and others. confined: none leads to the
 * memory above 1 MiB. high: where RANDOM_CODE's window may be as well. */
void modes_segments_make(enum width width, unsigned cpl, uint32_t code_base, uint32_t data_base, bool confined);
/* A seed's TSS. vm86: with software interrupts redirected at random. */
void modes_tss_make(bool vm86, uint32_t cr3);
/* Before modes_switch: no TSS is busy. */
void modes_segments_reset(void);

/* --- modes_memory.c --- */
/* Once: page tables that stay, and low memory: all of it is RAM, and what is not the random code's own is INT3. */
void modes_memory_prepare(void);
/* For a seed: its page tables, or low memory. Returns CR3. */
uint32_t modes_memory_reset(enum modes_paging paging, bool user, bool vm86);
uint64_t modes_memory_hash(uint64_t hash);
#define LOW_CODE ((uint8_t *)(uintptr_t)CODE_AT)
#define LOW_DATA ((uint8_t *)(uintptr_t)DATA_AT)
#define MODES_HIGH 0xc0000000u /* the same pages, with paging */

#endif
