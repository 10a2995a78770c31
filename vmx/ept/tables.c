/* Kind: shell */
#include "vmx/ept/tables.h"

#include "base/init.h"
#include "vmx/cpu/fail_stop.h"
#include "vmx/ept/ept.h"

#define FOR_DEVICES 64u /* tables that are kept to map devices above memory */

static uint64_t *root;
static uint8_t *pool;
static uint32_t pool_used, pool_pages, pool_kept;

INIT_CODE void ept_tables_init(void *memory, uint32_t nr_pages, uint32_t for_memory)
{
    pool = memory;
    pool_pages = nr_pages;
    pool_used = 0;
    pool_kept = for_memory;
    root = ept_table_new(false);
}

void *ept_pool_take(uint32_t nr)
{
    uint8_t *pages = pool + EPT_PAGE_SIZE * pool_used;

    if (nr > pool_pages - pool_used)
        return NULL;
    pool_used += nr;
    return pages;
}

bool ept_tables_suffice(bool of_memory)
{
    const uint32_t left = pool_pages - pool_used;

    return of_memory && pool_kept > 0 ? left > 0 : left > pool_kept + FOR_DEVICES;
}

uint64_t *ept_table_new(bool of_memory)
{
    uint64_t *table = ept_pool_take(1);

    if (!table)
        fail_stop_here("the EPT page pool is exhausted");
    if (of_memory && pool_kept > 0)
        pool_kept--;
    return table;
}

uint64_t *ept_table_of(uint64_t gpa, unsigned level)
{
    uint64_t *table = root;

    for (unsigned at = EPT_LEVELS; at > level; at--)
        table = ept_table_at(table[ept_index(gpa, at)]);
    return table;
}

uint64_t *ept_slot(uint64_t gpa, unsigned level)
{
    return &ept_table_of(gpa, level)[ept_index(gpa, level)];
}

/* Unrolled: it is called for each of the guest's tables that is read. */
uint64_t ept_lookup(uint64_t gpa)
{
    uint64_t entry = root[gpa >> 39 & (EPT_TABLE_ENTRIES - 1)];

    if (!ept_entry_present(entry))
        return 0;
    entry = ept_table_at(entry)[gpa >> 30 & (EPT_TABLE_ENTRIES - 1)];
    if ((entry & EPT_LARGE) || !ept_entry_present(entry))
        return entry;
    entry = ept_table_at(entry)[gpa >> 21 & (EPT_TABLE_ENTRIES - 1)];
    if ((entry & EPT_LARGE) || !ept_entry_present(entry))
        return entry;
    return ept_table_at(entry)[gpa >> 12 & (EPT_TABLE_ENTRIES - 1)];
}
