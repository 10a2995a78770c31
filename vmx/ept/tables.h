/*
 * The tables of the machine's EPT tree: where they are, and which entry maps what. Only vmx/ept/ept.c changes entries.
 * Private to vmx/ept/; hold the machine's lock.
 */
#ifndef VMX_EPT_TABLES_H
#define VMX_EPT_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/phys.h"
#include "vmx/ept/maths.h"

/* Take the pool that all tables come from, and make the top-level table. for_memory: how many tables are kept to split
 * memory, whose pages become executable one by one. */
void ept_tables_init(void *memory, uint32_t nr_pages, uint32_t for_memory);

/* A zeroed table. of_memory: it is one of those that are kept. If the pool is exhausted, the machine stops. */
uint64_t *ept_table_new(bool of_memory);

/* May another one be made only to distinguish memory types? Those that are kept for memory are for memory only. */
bool ept_tables_suffice(bool of_memory);

/* The table that this entry points to. */
static inline uint64_t *ept_table_at(uint64_t entry)
{
    return phys_to_virt(entry & EPT_ADDRESS_MASK);
}

/* The table of this level (1 to 4) on the way to gpa, and gpa's entry in it. They exist. */
uint64_t *ept_table_of(uint64_t gpa, unsigned level);
uint64_t *ept_slot(uint64_t gpa, unsigned level);

#endif
