/* Kind: core, hot */
/*
 * The region ring: see pt/output/region_ring.h.
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

/* The slot after each full table's regions holds END. */
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
    /* INT on the STOP region as well: without a PMI nothing would notice that the trace has stopped. */
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

/* The position that the output pointers select, in bytes from the first region's start; the ring's size means its
 * start. false: they select none. */
static bool position_of(const struct region_ring *ring, struct topa_ptrs ptrs, uint64_t *position)
{
    uint64_t from_first = ptrs.table_pa - ring->table_pa;
    uint64_t first = from_first / 4096 * REGION_RING_TABLE_REGIONS;
    if (from_first % 4096 != 0 || from_first / 4096 >= REGION_RING_MAX_TABLES || first >= ring->nr_regions)
        return false;
    /* The index is that of END until the processor has read END. The offset is the region's size after ToPA STOP. */
    if (ptrs.index > table_regions(ring, (uint32_t)first) || ptrs.offset > ring->region_bytes)
        return false;
    *position = (first + ptrs.index) * ring->region_bytes + ptrs.offset;
    return true;
}

bool region_ring_update(struct region_ring *ring, struct topa_ptrs ptrs, bool stopped)
{
    uint64_t size = region_ring_bytes(ring);
    uint64_t position;
    if (!position_of(ring, ptrs, &position))
        return false;
    position %= size;
    uint64_t here = ring->written % size;
    uint64_t new_bytes = position >= here ? position - here : position + size - here;
    uint64_t room = ring->limit - ring->written;

    /* Pointers that have not moved may mean exactly one full ring: only if the whole ring was free, and STOP ended it.
     */
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
    return end > ring->submitted ? end : ring->submitted;
}

bool region_ring_next_span(struct region_ring *ring, uint64_t end, struct region_span *span)
{
    if (ring->submitted >= end)
        return false;
    uint64_t size = end - ring->submitted;
    span->offset = ring->submitted;
    span->memory_offset = ring->submitted % region_ring_bytes(ring);
    if (size > region_ring_bytes(ring) - span->memory_offset)
        size = region_ring_bytes(ring) - span->memory_offset;
    if (size > REGION_RING_MAX_SPAN_BYTES)
        size = REGION_RING_MAX_SPAN_BYTES;
    span->size = (uint32_t)size;
    ring->submitted += size;
    return true;
}

void region_ring_release(struct region_ring *ring, uint64_t offset)
{
    if (offset > ring->released && offset <= ring->submitted)
        ring->released = offset;
}

void region_ring_drop_oldest(struct region_ring *ring)
{
    uint64_t current = ring->written / ring->region_bytes;
    if (ring->released != ring->submitted || current < ring->nr_regions - 2)
        return;
    uint64_t keep_from = (current - (ring->nr_regions - 2)) * ring->region_bytes;
    if (keep_from > ring->submitted)
        ring->submitted = ring->released = keep_from;
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
