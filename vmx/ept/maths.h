/*
 * EPT paging structures as values. Core.
 *
 * Source: SDM "The Extended Page Table Mechanism (EPT)": Tables "Format of an EPT ... Entry", "EPT Violations". Level 1
 * is the EPT page table (4-KByte pages), 2 the page directory (2 MBytes), 3 the page-directory-pointer table (1 GByte),
 * 4 the PML4 table.
 */
#ifndef VMX_EPT_MATHS_H
#define VMX_EPT_MATHS_H

#include <stdbool.h>
#include <stdint.h>

#define EPT_READ (1ull << 0)
#define EPT_WRITE (1ull << 1)
#define EPT_EXECUTE (1ull << 2)
#define EPT_ACCESS_MASK (EPT_READ | EPT_WRITE | EPT_EXECUTE)
#define EPT_MEMORY_TYPE_SHIFT 3
#define EPT_MEMORY_TYPE_MASK (7ull << EPT_MEMORY_TYPE_SHIFT)
#define EPT_LARGE (1ull << 7)
#define EPT_GUARDED (1ull << 52) /* ignored by the CPU. The page is only executed by single steps: vmx/soft/soft.h */
#define EPT_SENT (1ull << 53)    /* ignored, too. Not executable, but sent and not written since: vmx/code/segments.c */
#define EPT_ADDRESS_MASK 0x000ffffffffff000ull
#define EPT_TABLE_ENTRIES 512u
#define EPT_LEVELS 4u
#define EPT_PAGE_SIZE 0x1000ull
#define EPT_PAGE_MASK (~(EPT_PAGE_SIZE - 1))

/* Exit qualification of an EPT violation */
#define EPT_VIOLATION_READ (1ull << 0)
#define EPT_VIOLATION_WRITE (1ull << 1)
#define EPT_VIOLATION_FETCH (1ull << 2)
#define EPT_VIOLATION_LINEAR_VALID (1ull << 7)
#define EPT_VIOLATION_TRANSLATED (1ull << 8) /* with LINEAR_VALID: the access itself, not a page walk */
#define EPT_VIOLATION_NMI_UNBLOCKING (1ull << 12)

/* EPTP for a PML4 table: write-back, page walk of 4, no accessed and dirty flags. */
uint64_t ept_pointer(uint64_t pml4_pa);

/* Bytes that one entry of a table of this level maps. */
static inline uint64_t ept_entry_size(unsigned level)
{
    return EPT_PAGE_SIZE << (9 * (level - 1));
}

/* Index of gpa in its table of this level. */
static inline unsigned ept_index(uint64_t gpa, unsigned level)
{
    return (unsigned)(gpa >> (12 + 9 * (level - 1))) & (EPT_TABLE_ENTRIES - 1);
}

/* An entry that points to a table. It allows all access, so that the leaf entries decide. */
uint64_t ept_table_entry(uint64_t table_pa);

/* An entry that maps a page. access: EPT_READ, EPT_WRITE, EPT_EXECUTE; memory_type 0 to 6. pa is aligned to the page's
 * size. */
uint64_t ept_leaf_entry(uint64_t pa, unsigned level, int memory_type, uint64_t access);

static inline bool ept_entry_present(uint64_t entry)
{
    return (entry & EPT_ACCESS_MASK) != 0;
}

/* Does an entry of this level map a page? (Entries of level 1 always do, if present.) */
static inline bool ept_entry_is_leaf(uint64_t entry, unsigned level)
{
    return ept_entry_present(entry) && (level == 1 || (entry & EPT_LARGE));
}

/* Split a leaf of this level (2 or 3): the entry number index of the table that replaces it, one level down. */
uint64_t ept_split_entry(uint64_t leaf, unsigned level, unsigned index);

/* Of the tables of vmx_ept_pages_least (vmx/config.h) those that split memory below this address. */
uint32_t ept_tables_for_memory(uint64_t top_of_memory);

#endif
