/*
 * Walks of the guest's page tables for executable pages. Core.
 *
 * Source: SDM Vol. 3A "Paging": "Hierarchical Paging Structures: an Overview", "32-Bit Paging", "PAE Paging", "4-Level
 * Paging and 5-Level Paging"; "Access Rights".
 */
#ifndef VMX_GUEST_WALK_H
#define VMX_GUEST_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "serial/wire/record.h"

/* The registers that determine how linear addresses are translated. */
struct guest_paging {
    uint64_t cr0, cr3, cr4, efer;
};

/* A stretch is the unit in which tables are read and recorded: 16 entries of a page table, as many pages as Linux maps
 * around one fault; or one large page. */
#define GUEST_STRETCH_ENTRIES 16u

#define HASH_FACTOR 0x9e3779b97f4a7c15ull /* odd, near 2^64 divided by the golden ratio */

struct guest_stretch {
    uint64_t linear, size;
    uint64_t table;      /* guest-physical address of its entries; for a large page: the entry itself */
    bool large;          /* a large page */
    bool wide;           /* entries have 8 bytes, not 4 */
    bool user;           /* the tables above allow user-mode access */
    bool nx_counts;      /* bit 63 of an entry forbids execution */
    bool global_counts;  /* bit 8 of an entry makes the translation global */
    bool forbidden;      /* guest_walk: a table above forbids execution */
    uint8_t large_shift; /* log2 of the large page's size */
};

/* Read a paging-structure entry of 8 or 4 bytes from guest memory. false: there is no memory. */
typedef bool guest_walk_read(void *context, uint64_t gpa, unsigned size, uint64_t *entry);

/* The address of the top-level table: what identifies an address space in CR3, without PCID and flags. */
uint64_t guest_space(const struct guest_paging *paging);

/* That address, and in bits 4:0 the paging mode: tables that are noted now may be read when the guest has left the
 * mode. guest_key_paging returns the registers as far as guest_walk needs them. */
uint64_t guest_space_key(const struct guest_paging *paging);
struct guest_paging guest_key_paging(uint64_t key);
#define GUEST_KEY_MODE 0x1full
static inline uint64_t guest_key_space(uint64_t key)
{
    return key & ~GUEST_KEY_MODE;
}

/* The stretch that contains linear. false: paging is off, or a table above is not present or forbids execution. Then
 * stretch->table is the address of that table's entry, and stretch->size the bytes that the table with the entry maps;
 * 0 if paging is off, and for the top-level table. */
bool guest_walk(struct guest_stretch *stretch, const struct guest_paging *paging, uint64_t linear,
                guest_walk_read *read, void *context);

/* Is linear's page present? table: the bytes at stretch->table. */
bool guest_stretch_maps(const struct guest_stretch *stretch, const void *table, uint64_t linear);

/* The guest-physical address of linear. GUEST_STRETCH_NOWHERE: it is not present. table: as above; NULL for a large
 * page. */
#define GUEST_STRETCH_NOWHERE UINT64_MAX
uint64_t guest_stretch_gpa(const struct guest_stretch *stretch, const void *table, uint64_t linear);

/* May user mode access linear? table: as above. */
bool guest_stretch_user(const struct guest_stretch *stretch, const void *table, uint64_t linear);

/* The executable pages of a stretch. Each entry is read only once, as another CPU may change it. */
struct guest_stretch_pages {
    uint64_t entries[GUEST_STRETCH_ENTRIES]; /* the bits that count, of the executable pages */
    uint32_t executable;                     /* bit i: entry i is executable */
    uint64_t sum;                            /* a checksum of all that a RECORD_MAP would contain */
};
void guest_stretch_read(struct guest_stretch_pages *pages, const struct guest_stretch *stretch, const void *table);

/* Collect the runs of executable pages, by ascending address, in runs[GUEST_STRETCH_ENTRIES]. Returns their number. */
uint32_t guest_stretch_runs(const struct guest_stretch *stretch, const struct guest_stretch_pages *pages,
                            struct record_map_run *runs);

/* May the pages mapped around a fault continue in the next stretch? If the first page of this one is not among them.
 * (Linux maps as many pages as a stretch has, from the stretch's start or from the start of the file's mapping.) */
static inline bool guest_stretch_continues(const struct guest_stretch *stretch, uint32_t executable)
{
    return !stretch->large && executable != 0 && !(executable & 1);
}

/* Move to the next stretch. false: it is in another page table. */
bool guest_stretch_next(struct guest_stretch *stretch);

/* The guest-physical address in an entry of struct guest_stretch_pages. */
#define GUEST_ENTRY_ADDRESS 0x000ffffffffff000ull
static inline uint64_t guest_entry_gpa(uint64_t entry)
{
    return entry & GUEST_ENTRY_ADDRESS;
}

/* The first address of the stretch of small pages that contains linear. */
static inline uint64_t guest_stretch_of(uint64_t linear)
{
    return linear & ~((uint64_t)GUEST_STRETCH_ENTRIES * RECORD_PAGE_SIZE - 1);
}

static inline uint32_t guest_stretch_entries(const struct guest_stretch *stretch)
{
    return stretch->large ? 1 : GUEST_STRETCH_ENTRIES;
}

/* A pointer to a paging structure of 4 KBytes. NULL: there is no memory. */
typedef const void *guest_tables_read(void *context, uint64_t table);

/* Called for each stretch. */
typedef void guest_tables_found(void *context, const struct guest_stretch *stretch);

/* Called before each table and each large page. true: stop there. */
typedef bool guest_tables_stop(void *context);

/* Walk all tables of the lower half that user mode may access. found is called for all large pages, and for the
 * stretches of small pages that are not only data, by ascending address. One table may be entered many times: stop
 * bounds the work of a call. from: 0, or what the last call returned. Returns the linear address at which to continue;
 * 0: nothing is left, or stop was called for the first tables only. */
struct guest_tables {
    guest_tables_read *read;
    guest_tables_found *found;
    guest_tables_stop *stop;
    void *context;
};
uint64_t guest_tables_each(const struct guest_tables *tables, const struct guest_paging *paging, uint64_t from);

#endif
