/*
 * Tables for DMA remapping: every device reaches all memory where it is, but for ours; our card reaches ours alone.
 *
 * Core. Source: Intel VT-d, Architecture Specification 4.1, sections 3.4 "DMA Remapping" (legacy mode), 3.7
 * "Second-Stage Translation", 9.1 "Root Entry", 9.3 "Context Entry", 9.8 "Second-Stage Paging Entries".
 */
#ifndef VTD_DMAR_TABLES_H
#define VTD_DMAR_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/range.h"

/* What all units of a machine can: tables are the same for all. */
struct dmar_shape {
    unsigned levels;  /* of tables: 3 to 5 */
    unsigned largest; /* pages: 1: 4 KiB, 2: 2 MiB too, 3: 1 GiB too */
    unsigned width;   /* bits of an address */
};

/* From the units' capability registers (nr > 0 of them). NULL; or why there can be none. */
const char *dmar_shape_of(struct dmar_shape *shape, const uint64_t *capabilities, unsigned nr);

/* Up to where devices reach memory and each other, for a machine whose RAM ends at top, and whose physical addresses
 * have address_bits: 4 GiB at least; where there are pages of 1 GiB up to where all of its addresses end, but 64 TiB at
 * most, for which tables take 520 KiB. 0: top is higher than the units' addresses go. */
uint64_t dmar_reach(const struct dmar_shape *shape, uint64_t top, unsigned address_bits);

#define DMAR_MAX_REQUESTERS 13u

struct dmar_layout {
    struct dmar_shape shape;
    uint64_t reach;
    struct range ours; /* of whole pages of 4 KiB; below reach */
    /* As which our card may ask (bus << 8 | device << 3 | function), on segment 0: itself, and what stands for it where
     * it is behind bridges. */
    uint16_t requesters[DMAR_MAX_REQUESTERS];
    unsigned nr_requesters; /* 0: there is none */
};

/* Pages that dmar_tables_build takes at most, wherever ours is that has so many bytes. */
uint32_t dmar_table_pages(const struct dmar_shape *shape, uint64_t reach, uint64_t ours_bytes);

struct dmar_tables {
    uint64_t root_pa;   /* for units of segment 0 */
    uint64_t others_pa; /* for those of other segments, where our card is not */
};

/* false: the arena has too little. */
bool dmar_tables_build(struct dmar_tables *tables, struct arena *arena, const struct dmar_layout *layout);

#endif
