/* Kind: core, hot */
/*
 * The region ring. Core; see pt/output/region_ring.h for the picture.
 */
#include "pt/output/region_ring.h"

bool region_ring_size_valid(uint64_t region_bytes, uint32_t nr_regions)
{
    return topa_size_code(region_bytes) >= 0 && nr_regions >= REGION_RING_MIN_REGIONS &&
           nr_regions <= REGION_RING_MAX_REGIONS;
}

static uint64_t region_ring_bytes(const struct region_ring *ring)
{
    return (uint64_t)ring->region_bytes * ring->nr_regions;
}

/* Behind each full table's regions one slot is END's. */
static uint32_t slot_of(uint32_t region)
{
    return region + region / REGION_RING_TABLE_REGIONS;
}

struct region_ring region_ring_make(uint64_t table_pa, uint64_t regions_pa, uint32_t region_bytes, uint32_t nr_regions)
{
    struct region_ring ring = {
        .table_pa = table_pa, .regions_pa = regions_pa, .nr_regions = nr_regions, .region_bytes = region_bytes};
    ring.limit = region_ring_bytes(&ring);
    ring.stop_slot = slot_of(nr_regions - 1);
    /* INT on the STOP region as well: a trace that stops without a PMI would not be noticed. */
    ring.entry_bits = (uint64_t)topa_size_code(region_bytes) << TOPA_SIZE_SHIFT | TOPA_INT;
    return ring;
}

/* Regions in the table that starts with this one. */
static uint32_t table_regions(const struct region_ring *ring, uint32_t first)
{
    return ring->nr_regions - first < REGION_RING_TABLE_REGIONS ? ring->nr_regions - first : REGION_RING_TABLE_REGIONS;
}

uint32_t region_ring_nr_slots(const struct region_ring *ring)
{
    return slot_of(ring->nr_regions - 1) + 2;
}

uint64_t region_ring_entry_without_stop(const struct region_ring *ring, uint32_t slot)
{
    const uint32_t region = slot - slot / TOPA_TABLE_ENTRIES;

    return ring->regions_pa + (uint64_t)region * ring->region_bytes + ring->entry_bits;
}

uint64_t region_ring_entry(const struct region_ring *ring, uint32_t slot)
{
    uint32_t table = slot / TOPA_TABLE_ENTRIES, index = slot % TOPA_TABLE_ENTRIES;
    uint32_t first = table * REGION_RING_TABLE_REGIONS;
    if (index >= table_regions(ring, first)) {
        bool last = first + REGION_RING_TABLE_REGIONS >= ring->nr_regions;
        return (ring->table_pa + (last ? 0 : 4096ull * (table + 1))) | TOPA_END;
    }
    uint64_t entry = region_ring_entry_without_stop(ring, slot);
    return slot == ring->stop_slot ? entry | TOPA_STOP : entry;
}

/* The place that the pointers name, bytes from the first region's start; the ring's size stands for its start. false:
 * they name none. */
static bool place_of(const struct region_ring *ring, struct topa_ptrs ptrs, uint64_t *place)
{
    uint64_t from_first = ptrs.table_pa - ring->table_pa;
    uint64_t first = from_first / 4096 * REGION_RING_TABLE_REGIONS;
    if (from_first % 4096 != 0 || from_first / 4096 >= REGION_RING_MAX_TABLES || first >= ring->nr_regions)
        return false;
    /* The index is END's until the processor has read that entry. The offset is the region's size after ToPA STOP. */
    if (ptrs.index > table_regions(ring, (uint32_t)first) || ptrs.offset > ring->region_bytes)
        return false;
    *place = (first + ptrs.index) * ring->region_bytes + ptrs.offset;
    return true;
}

bool region_ring_take(struct region_ring *ring, struct topa_ptrs ptrs, bool stopped)
{
    uint64_t size = region_ring_bytes(ring);
    uint64_t place;
    if (!place_of(ring, ptrs, &place))
        return false;
    place %= size;
    uint64_t here = ring->written % size;
    uint64_t new_bytes = place >= here ? place - here : place + size - here;
    uint64_t room = ring->limit - ring->written;

    /* Once around, to the byte: only STOP can end it there, and only where the whole ring was free. */
    if (new_bytes == 0 && stopped && room == size)
        new_bytes = size;
    if (new_bytes > room)
        return false;
    ring->written += new_bytes;
    return true;
}

struct topa_ptrs region_ring_ptrs(const struct region_ring *ring)
{
    uint32_t region = (uint32_t)(ring->written / ring->region_bytes % ring->nr_regions);
    struct topa_ptrs ptrs = {
        .table_pa = ring->table_pa + region / REGION_RING_TABLE_REGIONS * 4096ull,
        .index = region % REGION_RING_TABLE_REGIONS,
        .offset = (uint32_t)(ring->written % ring->region_bytes),
    };
    return ptrs;
}

bool region_ring_at_stop(const struct region_ring *ring, uint64_t output_mask_ptrs)
{
    return topa_ptrs_unpack(ring->table_pa, output_mask_ptrs).index == ring->stop_slot % TOPA_TABLE_ENTRIES;
}

uint64_t region_ring_whole_end(const struct region_ring *ring)
{
    uint64_t end = ring->written - ring->written % ring->region_bytes;
    return end > ring->handed ? end : ring->handed;
}

bool region_ring_hand_over(struct region_ring *ring, uint64_t end, struct region_span *span)
{
    if (ring->handed >= end)
        return false;
    uint64_t size = end - ring->handed;
    span->offset = ring->handed;
    span->place = ring->handed % region_ring_bytes(ring);
    if (size > region_ring_bytes(ring) - span->place)
        size = region_ring_bytes(ring) - span->place;
    if (size > REGION_RING_MAX_SPAN_BYTES)
        size = REGION_RING_MAX_SPAN_BYTES;
    span->size = (uint32_t)size;
    ring->handed += size;
    return true;
}

void region_ring_release(struct region_ring *ring, uint64_t offset)
{
    if (offset > ring->released && offset <= ring->handed)
        ring->released = offset;
}

void region_ring_forget(struct region_ring *ring)
{
    uint64_t current = ring->written / ring->region_bytes;
    if (ring->released != ring->handed || current < ring->nr_regions - 2)
        return;
    uint64_t keep_from = (current - (ring->nr_regions - 2)) * ring->region_bytes;
    if (keep_from > ring->handed)
        ring->handed = ring->released = keep_from;
}

bool region_ring_arm(struct region_ring *ring)
{
    uint64_t current = ring->written / ring->region_bytes;
    uint64_t oldest = ring->released / ring->region_bytes;
    if (current - oldest > ring->nr_regions - 2)
        return false;
    ring->limit = (oldest + ring->nr_regions) * ring->region_bytes;
    ring->stop_slot = slot_of((uint32_t)((oldest + ring->nr_regions - 1) % ring->nr_regions));
    return true;
}
