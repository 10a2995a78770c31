/* The tables that the guest `tasks` makes for its tasks: tables.c. */
#ifndef TESTS_GUESTS_TASKS_TABLES_H
#define TESTS_GUESTS_TASKS_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#define TASK_PAGE 4096u
#define TASK_PAGES 56u /* that the guest consists of */

/* Of a page table's entry */
#define TASK_P 1u
#define TASK_RW 2u

extern uint64_t task_gdt_entries[TASK_PAGE / 8], task_ldt[TASK_PAGE / 8], task_idt_entries[256];
extern uint32_t task_tables[2][1024];
extern uint64_t task_wide_tables[2][512];
extern bool task_pae; /* which kind of paging */

static inline uint32_t address32(const void *memory)
{
    return (uint32_t)(uintptr_t)memory;
}

/* Once. */
void task_spaces_make(void);

/* As they were, all that the stories change. */
void task_pages_reset(void);
void task_gdt_make(void);
void task_idt_make(void);
void task_tsss_make(void);

uint32_t task_cr3_of(uint32_t space);

/* Change the first space's entry of a page. */
void task_page_rights(const void *page, uint32_t clear);
uint64_t task_descriptor(uint32_t base, uint32_t limit, uint32_t rights);
uint32_t *task_tss_of(uint32_t selector);
void task_gate_set(uint32_t vector, uint32_t selector);

#endif
