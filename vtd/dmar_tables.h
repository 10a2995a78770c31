/*
 * Tables for DMA remapping: an identity map of all memory except ours for every device, and of only ours for our card.
 *
 * Source: Intel VT-d, Architecture Specification 4.1, sections 3.4 "DMA Remapping" (legacy mode), 3.7
 * "Second-Stage Translation", 9.1 "Root Entry", 9.3 "Context Entry", 9.8 "Second-Stage Paging Entries".
 */
#ifndef VTD_DMAR_TABLES_H
#define VTD_DMAR_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/range.h"

/* The capabilities that all units of a machine have in common, as all use the same tables. */
struct dmar_shape {
    unsigned levels;  /* of tables: 3 to 5 */
    unsigned largest; /* pages: 1: 4 KiB, 2: 2 MiB too, 3: 1 GiB too */
    unsigned width;   /* bits of an address */
};

/* From the units' capability registers (nr > 0). Returns NULL, or why no tables can serve all units. */
const char *dmar_shape_of(struct dmar_shape *shape, const uint64_t *capabilities, unsigned nr);

/* The end of the identity map, for a machine whose RAM ends at top and whose physical addresses have address_bits: at
 * least 4 GiB; with 1-GiB pages the whole physical address space, but at most 64 TiB, whose tables need 520 KiB. 0: top
 * lies above the highest address that the units support. */
uint64_t dmar_reach(const struct dmar_shape *shape, uint64_t top, unsigned address_bits);

#define DMAR_MAX_REQUESTERS 13u

struct dmar_layout {
    struct dmar_shape shape;
    uint64_t reach;
    struct range ours; /* multiples of 4 KiB; below reach */
    /* Requester IDs of our card on segment 0 (bus << 8 | device << 3 | function): its own, and those under which
     * bridges above it forward its requests. */
    uint16_t requesters[DMAR_MAX_REQUESTERS];
    unsigned nr_requesters; /* 0: we have no card */
};

/* The most pages that dmar_tables_build can need for a range of ours_bytes at any address. */
uint32_t dmar_table_pages(const struct dmar_shape *shape, uint64_t reach, uint64_t ours_bytes);

struct dmar_tables {
    uint64_t root_pa;   /* for units of segment 0 */
    uint64_t others_pa; /* for units of other segments, where our card cannot be */
};

/* false: the arena is too small. */
bool dmar_tables_build(struct dmar_tables *tables, struct arena *arena, const struct dmar_layout *layout);

#endif
