/* Kind: shell */
#include "vmx/ept/tables.h"

#include <string.h>

#include "base/init.h"
#include "vmx/cpu/fail_stop.h"
#include "vmx/ept/ept.h"

#define LEAST_LEFT 4u /* device tables: as many as lead to a page */

static uint64_t *root;
static uint8_t *pool;
static uint32_t pool_used, pool_pages, pool_kept;
static uint64_t *device_tables[EPT_DEVICE_TABLES];
static uint32_t nr_device_tables, device_tables_used; /* made so far; of these, in use */

INIT_CODE void ept_tables_init(void *memory, uint32_t nr_pages, uint32_t for_memory)
{
    pool = memory;
    pool_pages = nr_pages;
    pool_used = 0;
    pool_kept = for_memory;
    nr_device_tables = device_tables_used = 0;
    root = ept_table_new(EPT_TABLE_BUILT);
}

void *ept_pool_take(uint32_t nr)
{
    uint8_t *pages = pool + EPT_PAGE_SIZE * pool_used;

    if (nr > pool_pages - pool_used)
        return NULL;
    pool_used += nr;
    return pages;
}

uint32_t ept_device_tables_left(void)
{
    return EPT_DEVICE_TABLES - device_tables_used;
}

void ept_device_tables_free(void)
{
    device_tables_used = 0;
}

/* The pool has room for all that are kept, and for the device tables that have not been made yet. */
bool ept_tables_suffice(enum ept_table_use use)
{
    const uint32_t left = pool_pages - pool_used;

    if (use == EPT_TABLE_DEVICE)
        return ept_device_tables_left() > LEAST_LEFT;
    if (use == EPT_TABLE_MEMORY && pool_kept > 0)
        return left > 0;
    return left > pool_kept + EPT_DEVICE_TABLES - nr_device_tables;
}

static uint64_t *table_from_pool(void)
{
    uint64_t *table = ept_pool_take(1);

    if (!table)
        fail_stop_here("the EPT page pool is exhausted");
    return table;
}

static uint64_t *device_table_new(void)
{
    if (ept_device_tables_left() == 0)
        fail_stop_here("the EPT tables for devices are exhausted");
    if (device_tables_used == nr_device_tables)
        device_tables[nr_device_tables++] = table_from_pool();
    memset(device_tables[device_tables_used], 0, EPT_PAGE_SIZE);
    return device_tables[device_tables_used++];
}

uint64_t *ept_table_new(enum ept_table_use use)
{
    if (use == EPT_TABLE_DEVICE)
        return device_table_new();
    if (use == EPT_TABLE_MEMORY && pool_kept > 0)
        pool_kept--;
    return table_from_pool();
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
