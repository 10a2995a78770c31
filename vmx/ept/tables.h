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

enum ept_table_use {
    EPT_TABLE_BUILT,  /* of the tree as it was built */
    EPT_TABLE_MEMORY, /* splits memory: one of those that are kept for that */
    EPT_TABLE_DEVICE  /* maps addresses above memory: one of EPT_DEVICE_TABLES, which are used again and again */
};

#define EPT_DEVICE_TABLES 64u

/* A zeroed table. If the pool is exhausted, the machine stops. */
uint64_t *ept_table_new(enum ept_table_use use);

/* May another one be made only to distinguish memory types? */
bool ept_tables_suffice(enum ept_table_use use);

/* How many tables of EPT_TABLE_DEVICE can be made? */
uint32_t ept_device_tables_left(void);

/* Nothing refers to those tables any more: they can be made again. */
void ept_device_tables_free(void);

/* The table that this entry points to. */
static inline uint64_t *ept_table_at(uint64_t entry)
{
    return phys_to_virt(entry & EPT_ADDRESS_MASK);
}

/* The table of this level (1 to 4) on the way to gpa, and gpa's entry in it. They exist. */
uint64_t *ept_table_of(uint64_t gpa, unsigned level);
uint64_t *ept_slot(uint64_t gpa, unsigned level);

#endif
