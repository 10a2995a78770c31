/* Page tables of a guest in a small memory: what the tests of vmx/guest/walk.c share. */
#ifndef TESTS_UNIT_VMX_GUEST_TABLES_H
#define TESTS_UNIT_VMX_GUEST_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "vmx/guest/walk.h"

#define PG (1ull << 31)
#define PSE (1ull << 4)
#define PAE (1ull << 5)
#define PGE (1ull << 7)
#define LA57 (1ull << 12)
#define LMA (1ull << 10)
#define NXE (1ull << 11)

#define P 0x1ull
#define US 0x4ull
#define ACCESSED 0x20ull
#define DIRTY 0x40ull
#define PS 0x80ull
#define G 0x100ull
#define NX (1ull << 63)

/* What lies elsewhere cannot be read. A walk shall read entries of the paging mode's size only. */
#define PAGES 8u
extern uint8_t guest_memory[PAGES * 4096];
extern unsigned entry_size_expected;

extern const struct guest_paging four_levels, five_levels, pae, two_levels;

/* 5.4.3.2.1.345H in tables 1000H to 5000H of four levels; the page table is empty. */
#define LINEAR (4ull << 39 | 3ull << 30 | 2ull << 21 | 70ull << 12 | 0x345)
#define TABLE 0x4000ull
#define FIRST 64u   /* the stretch's first entry in it */
#define ENTRIES 16u /* of the stretch */
#define STRETCH (LINEAR & ~0xffffull)

void tables_make(void);
void table_set(uint64_t table, unsigned index, uint64_t entry);
/* The entry there, as guest_walk reads it. */
bool entry_read(void *context, uint64_t gpa, unsigned size, uint64_t *entry);
bool tables_walk(struct guest_stretch *stretch, const struct guest_paging *paging, uint64_t linear);

struct seen {
    uint32_t nr;
    struct guest_stretch stretch;
    struct guest_stretch_pages pages;
    struct record_map_run runs[GUEST_STRETCH_ENTRIES];
};

/* The walk must succeed. */
struct seen tables_see(const struct guest_paging *paging, uint64_t linear);

void run_is(const struct record_map_run *run, uint64_t linear, uint64_t gpa, uint32_t pages, unsigned flags,
            unsigned shift);

#endif
