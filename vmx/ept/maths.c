/* Kind: core */
#include "vmx/ept/maths.h"

#include "base/init.h"
#include "vmx/config.h"

#define EPTP_WRITE_BACK 6ull
#define EPTP_WALK_LENGTH_4 (3ull << 3)

uint64_t ept_pointer(uint64_t pml4_pa)
{
    return pml4_pa | EPTP_WALK_LENGTH_4 | EPTP_WRITE_BACK;
}

uint64_t ept_table_entry(uint64_t table_pa)
{
    return (table_pa & EPT_ADDRESS_MASK) | EPT_ACCESS_MASK;
}

uint64_t ept_leaf_entry(uint64_t pa, unsigned level, int memory_type, uint64_t access)
{
    uint64_t entry = (pa & EPT_ADDRESS_MASK) | (uint64_t)memory_type << EPT_MEMORY_TYPE_SHIFT | access;

    return level > 1 ? entry | EPT_LARGE : entry;
}

uint64_t ept_split_entry(uint64_t leaf, unsigned level, unsigned index)
{
    uint64_t entry = leaf + index * ept_entry_size(level - 1);

    return level == 2 ? entry & ~EPT_LARGE : entry;
}

#define GIB (1ull << 30)
#define SPARE_PAGES 96u /* bitmaps, the page of ones, splits in MMIO ranges, tables for MMIO above memory */

#define LEAST_SPLIT (32 * GIB)

/* Tables that map all of it, and split bytes of it by 4-KByte pages. */
static inline uint32_t pages_for(uint64_t top_of_memory, uint64_t split)
{
    const uint64_t mapped = top_of_memory > 4 * GIB ? top_of_memory : 4 * GIB;
    const uint64_t tables = (split + ept_entry_size(2) - 1) / ept_entry_size(2);
    const uint64_t directories = (mapped + ept_entry_size(3) - 1) / ept_entry_size(3);
    const uint64_t pointer_tables = (mapped + ept_entry_size(4) - 1) / ept_entry_size(4);

    return (uint32_t)(1 + pointer_tables + directories + tables + SPARE_PAGES);
}

static inline uint64_t least_split(uint64_t top_of_memory)
{
    return top_of_memory < LEAST_SPLIT ? top_of_memory : LEAST_SPLIT;
}

INIT_CODE uint32_t ept_tables_for_memory(uint64_t top_of_memory)
{
    const uint64_t tables = (least_split(top_of_memory) + ept_entry_size(2) - 1) / ept_entry_size(2);
    const uint64_t directories = (top_of_memory + ept_entry_size(3) - 1) / ept_entry_size(3);

    return (uint32_t)(tables + directories);
}

INIT_CODE uint32_t vmx_ept_pages_needed(uint64_t top_of_memory)
{
    return pages_for(top_of_memory, top_of_memory);
}

INIT_CODE uint32_t vmx_ept_pages_least(uint64_t top_of_memory)
{
    return pages_for(top_of_memory, least_split(top_of_memory));
}
