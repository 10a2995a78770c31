/*
 * The region ring: where a CPU's trace stream lies in memory, and how far the hardware may write.
 *
 * The stream is one run of bytes with 64-bit offsets. Offset s lies at s modulo the ring's size, always, so that the
 * ring's state is three offsets that only grow: released <= handed <= written. INT stands on each region's entry, STOP
 * on the last region that the hardware may fill: the one before the region that holds the oldest unreleased byte.
 *
 * A table is a page: 511 regions and END, which leads to the next table, or from the last one back to the first. The
 * tables lie behind one another, so an entry has a slot: its number in the tables' memory.
 *
 * Core. Source: SDM "Table of Physical Addresses (ToPA)" (36.2.6.2), "ToPA STOP", "ToPA PMI".
 */
#ifndef PT_OUTPUT_REGION_RING_H
#define PT_OUTPUT_REGION_RING_H

#include <stdbool.h>
#include <stdint.h>

#include "pt/output/topa.h"

#define REGION_RING_MIN_REGIONS 4u
#define REGION_RING_MAX_REGIONS 4096u
#define REGION_RING_TABLE_REGIONS (TOPA_TABLE_ENTRIES - 1) /* in one table: its last entry is END */
#define REGION_RING_MAX_TABLES ((REGION_RING_MAX_REGIONS + REGION_RING_TABLE_REGIONS - 1) / REGION_RING_TABLE_REGIONS)
#define REGION_RING_MAX_SPAN_BYTES (1u << 30) /* a span's size is 32 bits */

struct region_ring {
    uint64_t written;    /* offset behind the last byte that the hardware is known to have written */
    uint64_t handed;     /* offset behind the last byte handed to the sink */
    uint64_t released;   /* offset before which memory may be overwritten */
    uint64_t limit;      /* offset behind the STOP region: the hardware does not get beyond */
    uint64_t table_pa;   /* the first table; the others follow it, a page each */
    uint64_t regions_pa; /* the first region; the others follow it */
    uint64_t entry_bits; /* of each region's entry: INT, and the size's code */
    uint32_t nr_regions;
    uint32_t region_bytes;
    uint32_t stop_slot; /* of the STOP region's entry */
};

/* A run of bytes handed over: contiguous in memory and in the stream. */
struct region_span {
    uint64_t offset; /* in the stream */
    uint64_t place;  /* bytes from the first region's start */
    uint32_t size;
};

/* true: region_bytes and nr_regions make a region ring. */
bool region_ring_size_valid(uint64_t region_bytes, uint32_t nr_regions);

/* An empty ring, armed for its first bytes. region_bytes and nr_regions are valid, regions_pa is aligned to
 * region_bytes, table_pa to 4 KiB. */
struct region_ring region_ring_make(uint64_t table_pa, uint64_t regions_pa, uint32_t region_bytes, uint32_t nr_regions);

/* How many slots the tables use, the last END included. */
uint32_t region_ring_nr_slots(const struct region_ring *ring);

/* The ToPA entry in a slot, as ring->limit demands. */
uint64_t region_ring_entry(const struct region_ring *ring, uint32_t slot);

/* The same without STOP, for a slot that is a region's. */
uint64_t region_ring_entry_without_stop(const struct region_ring *ring, uint32_t slot);

/* Take the output pointers in, as read while TraceEn was 0. stopped: IA32_RTIT_STATUS.Stopped. Moves written.
 * false: no honest hardware can have got there from the last known place; the ring is unchanged. */
bool region_ring_take(struct region_ring *ring, struct topa_ptrs ptrs, bool stopped);

/* Where the hardware goes on: the place of the byte at offset written. */
struct topa_ptrs region_ring_ptrs(const struct region_ring *ring);

/* By IA32_RTIT_OUTPUT_MASK_PTRS: the hardware is in the region with STOP, or in that entry of another table.
 * region_ring_arm left it before that: a PMI is on its way, or was lost. */
bool region_ring_at_stop(const struct region_ring *ring, uint64_t output_mask_ptrs);

/* The end of what may be handed over: whole regions only, or all. */
uint64_t region_ring_whole_end(const struct region_ring *ring);

/* The next span up to offset end. Moves handed. false: nothing is left before end. */
bool region_ring_hand_over(struct region_ring *ring, uint64_t end, struct region_span *span);

/* The sink has released all bytes before offset; lower offsets than before, and ones never handed over, are ignored. */
void region_ring_release(struct region_ring *ring, uint64_t offset);

/* Flight recorder: forget the oldest bytes, as far as the hardware needs their room to go on. Moves handed and
 * released. Nothing is forgotten while bytes handed over before are not released. */
void region_ring_forget(struct region_ring *ring);

/* May tracing go on? It must be able to fill the region it is in and one more before STOP, else a PMI's skid would
 * stop it. Moves limit as far as released allows. false: release first. */
bool region_ring_arm(struct region_ring *ring);

#endif
