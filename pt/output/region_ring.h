/*
 * The region ring: where a CPU's trace stream is in memory, and how far the hardware may write.
 *
 * The stream is one sequence of bytes with 64-bit offsets. Offset s is always at s modulo the ring's size, so the
 * ring's state is three offsets that only grow: released <= submitted <= written. Every region's entry has INT. STOP is
 * on the last region that the hardware may fill: the one before the region with the oldest unreleased byte.
 *
 * A table is a page: 511 regions and END, which leads to the next table, or from the last one back to the first. The
 * tables are contiguous, so each entry has a slot: its index in the memory of all tables.
 *
 * Source: SDM "Table of Physical Addresses (ToPA)" (36.2.6.2), "ToPA STOP", "ToPA PMI".
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
    uint64_t written;    /* end of the bytes that the hardware is known to have written */
    uint64_t submitted;  /* end of the bytes that were given to the sink */
    uint64_t released;   /* end of the bytes whose memory may be overwritten */
    uint64_t limit;      /* end of the STOP region: the hardware writes no further */
    uint64_t table_pa;   /* the first table; the others follow it, a page each */
    uint64_t regions_pa; /* the first region; the others follow it */
    uint64_t entry_bits; /* of each region's entry: INT, and the size code */
    uint32_t nr_regions;
    uint32_t region_bytes;
    uint32_t stop_slot; /* of the STOP region's entry */
};

/* Bytes to submit: contiguous in memory and in the stream. */
struct region_span {
    uint64_t offset;        /* in the stream */
    uint64_t memory_offset; /* bytes from the first region's start */
    uint32_t size;
};

/* Can a region ring have this size? */
bool region_ring_size_valid(uint64_t region_bytes, uint32_t nr_regions);

/* An empty ring, armed for its first bytes. region_bytes and nr_regions are valid, regions_pa is aligned to
 * region_bytes, table_pa to 4 KiB. */
struct region_ring region_ring_make(uint64_t table_pa, uint64_t regions_pa, uint32_t region_bytes, uint32_t nr_regions);

/* Number of slots that the tables use, including the last END. */
uint32_t region_ring_nr_slots(const struct region_ring *ring);

/* The ToPA entry in a slot; STOP is where ring->limit requires it. */
uint64_t region_ring_entry(const struct region_ring *ring, uint32_t slot);

/* The same without STOP, for a slot of a region. */
uint64_t region_ring_entry_without_stop(const struct region_ring *ring, uint32_t slot);

/* Advance written to where the output pointers are, as read while TraceEn was 0. stopped: IA32_RTIT_STATUS.Stopped.
 * false: the hardware cannot have got there from the last known position; the ring is unchanged. */
bool region_ring_update(struct region_ring *ring, struct topa_ptrs ptrs, bool stopped);

/* The output pointers for the next byte, at stream offset written. */
struct topa_ptrs region_ring_ptrs(const struct region_ring *ring);

/* Does IA32_RTIT_OUTPUT_MASK_PTRS say that the hardware is in the region with STOP, or in the same entry of another
 * table? region_ring_arm left it before that region: a PMI is pending, or was lost. */
bool region_ring_at_stop(const struct region_ring *ring, uint64_t output_mask_ptrs);

/* The end of the whole regions that may be submitted. */
uint64_t region_ring_whole_end(const struct region_ring *ring);

/* The next span to submit, up to stream offset end. Moves submitted. false: nothing is left before end. */
bool region_ring_next_span(struct region_ring *ring, uint64_t end, struct region_span *span);

/* The sink has released all bytes before offset. Ignores offsets below released or above submitted. */
void region_ring_release(struct region_ring *ring, uint64_t offset);

/* Flight recorder: drop the oldest bytes, as far as the hardware needs their memory to continue. Moves submitted and
 * released. Nothing is dropped while submitted bytes are not released. */
void region_ring_drop_oldest(struct region_ring *ring);

/* May tracing continue? It must be able to fill its current region and one more before STOP, otherwise the PMI's skid
 * would stop it. Moves limit as far as released allows. false: more bytes must be released first. */
bool region_ring_arm(struct region_ring *ring);

#endif
