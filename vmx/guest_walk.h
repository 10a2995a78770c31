/*
 * The guest's page tables, read for what is executable in them. Core.
 *
 * Source: SDM Vol. 3A "Paging": "Hierarchical Paging Structures: an Overview", "32-Bit Paging", "PAE Paging", "4-Level
 * Paging and 5-Level Paging"; "Access Rights".
 */
#ifndef VMX_GUEST_WALK_H
#define VMX_GUEST_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "serial/wire/record.h"

/* The registers that say how linear addresses are translated. */
struct guest_paging {
    uint64_t cr0, cr3, cr4, efer;
};

/* What is looked at at once: a part of a page table, as much as Linux maps around one fault; or one large page. */
#define GUEST_STRETCH_ENTRIES 16u

#define HASH_FACTOR 0x9e3779b97f4a7c15ull /* odd, near 2^64 divided by the golden ratio */

struct guest_stretch {
    uint64_t linear, size;
    uint64_t table;      /* guest-physical address of its entries; of a large page: the entry */
    bool large;          /* there is no page table */
    bool wide;           /* entries have 8 bytes, not 4 */
    bool user;           /* user mode may get here, as far as the tables above say */
    bool nx_counts;      /* bit 63 of an entry forbids execution */
    bool global_counts;  /* bit 8 of an entry makes the translation global */
    bool forbidden;      /* guest_walk has found a table above that forbids execution, present or not */
    uint8_t large_shift; /* log2 of the large page's size */
};

/* Read an entry of guest memory, of 8 or 4 bytes. false: no table can be there. */
typedef bool guest_walk_read(void *context, uint64_t gpa, unsigned size, uint64_t *entry);

/* The address of the uppermost table: what tells address spaces apart in CR3, without PCID and flags. */
uint64_t guest_space(const struct guest_paging *paging);

/* The stretch that linear lies in. false: paging is off, or nothing there is present and executable; table is then the
 * entry that says so, and size what the table that it is in maps; 0 where paging is off, and of the uppermost. */
bool guest_walk(struct guest_stretch *stretch, const struct guest_paging *paging, uint64_t linear,
                guest_walk_read *read, void *context);

/* Is linear's page present? table: the bytes at stretch->table. */
bool guest_stretch_maps(const struct guest_stretch *stretch, const void *table, uint64_t linear);

/* Where linear leads to. GUEST_STRETCH_NOWHERE: it is not present. table: as above, of a large page NULL. */
#define GUEST_STRETCH_NOWHERE UINT64_MAX
uint64_t guest_stretch_gpa(const struct guest_stretch *stretch, const void *table, uint64_t linear);

/* May user mode get to linear? table: as above. */
bool guest_stretch_user(const struct guest_stretch *stretch, const void *table, uint64_t linear);

/* What a stretch has executable, each entry read once: another CPU may change them. */
struct guest_stretch_pages {
    uint64_t entries[GUEST_STRETCH_ENTRIES]; /* what they mean; 0: not executable */
    uint32_t executable;                     /* bit i: entry i is */
    uint64_t sum;                            /* the same as long as all that a RECORD_MAP tells of them is */
};
void guest_stretch_read(struct guest_stretch_pages *pages, const struct guest_stretch *stretch, const void *table);

/* The runs of executable pages, by rising address, into runs[GUEST_STRETCH_ENTRIES]. Returns how many. */
uint32_t guest_stretch_runs(const struct guest_stretch *stretch, const struct guest_stretch_pages *pages,
                            struct record_map_run *runs);

/* What was mapped around a fault may go on in the next stretch: where the first of this one's pages is none of it.
 * (Linux maps as many pages as a stretch has, from the stretch's start or from that of the file's mapping.) */
static inline bool guest_stretch_continues(const struct guest_stretch *stretch, uint32_t executable)
{
    return !stretch->large && executable != 0 && !(executable & 1);
}

/* The next stretch. false: another page table has it. */
bool guest_stretch_next(struct guest_stretch *stretch);

/* Where an entry of struct guest_stretch_pages leads. */
#define GUEST_ENTRY_ADDRESS 0x000ffffffffff000ull
static inline uint64_t guest_entry_gpa(uint64_t entry)
{
    return entry & GUEST_ENTRY_ADDRESS;
}

/* The first address of the part of a page table that linear lies in. */
static inline uint64_t guest_stretch_of(uint64_t linear)
{
    return linear & ~((uint64_t)GUEST_STRETCH_ENTRIES * RECORD_PAGE_SIZE - 1);
}

static inline uint32_t guest_stretch_entries(const struct guest_stretch *stretch)
{
    return stretch->large ? 1 : GUEST_STRETCH_ENTRIES;
}

/* A table's bytes, to be read as often as wanted. NULL: no table can be there. */
typedef const void *guest_tables_read(void *context, uint64_t table);

/* Part of a page table, or a large page, as in struct guest_stretch. */
typedef void guest_tables_found(void *context, const struct guest_stretch *stretch);

/* What user mode may execute below bit 63: found is called for all large pages, and for all parts of page tables that
 * have something that is no mere data, by rising address. */
struct guest_tables {
    guest_tables_read *read;
    guest_tables_found *found;
    void *context;
};
void guest_tables_each(const struct guest_tables *tables, const struct guest_paging *paging);

#endif
