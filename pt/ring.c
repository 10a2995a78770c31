/*
 * The region ring. Core; see pt/ring.h for the picture.
 */
#include "pt/ring.h"

bool ring_size_valid(uint64_t region_bytes, uint32_t nr_regions)
{
    return topa_size_code(region_bytes) >= 0 && nr_regions >= RING_MIN_REGIONS && nr_regions <= RING_MAX_REGIONS;
}

static uint64_t ring_bytes(const struct ring *ring)
{
    return (uint64_t)ring->region_bytes * ring->nr_regions;
}

struct ring ring_make(uint64_t table_pa, uint64_t regions_pa, uint32_t region_bytes, uint32_t nr_regions)
{
    struct ring ring = {
        .table_pa = table_pa, .regions_pa = regions_pa, .nr_regions = nr_regions, .region_bytes = region_bytes};
    ring.limit = ring_bytes(&ring);
    return ring;
}

uint32_t ring_stop_index(const struct ring *ring)
{
    return (uint32_t)((ring->limit / ring->region_bytes - 1) % ring->nr_regions);
}

uint64_t ring_entry(const struct ring *ring, uint32_t index)
{
    if (index == ring->nr_regions)
        return ring->table_pa | TOPA_END;
    uint64_t entry = ring->regions_pa + (uint64_t)index * ring->region_bytes;
    entry |= (uint64_t)topa_size_code(ring->region_bytes) << TOPA_SIZE_SHIFT | TOPA_INT;
    /* INT on the STOP region as well: a trace that stops without a PMI would not be noticed. */
    return index == ring_stop_index(ring) ? entry | TOPA_STOP : entry;
}

bool ring_take(struct ring *ring, struct topa_ptrs ptrs, bool stopped)
{
    /* The offset is the region's size after ToPA STOP; the index is END's until the processor has read that entry. */
    if (ptrs.table_pa != ring->table_pa || ptrs.index > ring->nr_regions || ptrs.offset > ring->region_bytes)
        return false;
    uint64_t size = ring_bytes(ring);
    uint64_t place = ((uint64_t)ptrs.index * ring->region_bytes + ptrs.offset) % size;
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

struct topa_ptrs ring_ptrs(const struct ring *ring)
{
    struct topa_ptrs ptrs = {
        .table_pa = ring->table_pa,
        .index = (uint32_t)(ring->written / ring->region_bytes % ring->nr_regions),
        .offset = (uint32_t)(ring->written % ring->region_bytes),
    };
    return ptrs;
}

uint64_t ring_whole_end(const struct ring *ring)
{
    uint64_t end = ring->written - ring->written % ring->region_bytes;
    return end > ring->handed ? end : ring->handed;
}

bool ring_hand_over(struct ring *ring, uint64_t end, struct ring_span *span)
{
    if (ring->handed >= end)
        return false;
    uint64_t size = end - ring->handed;
    span->offset = ring->handed;
    span->place = ring->handed % ring_bytes(ring);
    if (size > ring_bytes(ring) - span->place)
        size = ring_bytes(ring) - span->place;
    if (size > RING_MAX_SPAN_BYTES)
        size = RING_MAX_SPAN_BYTES;
    span->size = (uint32_t)size;
    ring->handed += size;
    return true;
}

void ring_release(struct ring *ring, uint64_t offset)
{
    if (offset > ring->released && offset <= ring->handed)
        ring->released = offset;
}

void ring_forget(struct ring *ring)
{
    uint64_t current = ring->written / ring->region_bytes;
    if (ring->released != ring->handed || current < ring->nr_regions - 2)
        return;
    uint64_t keep_from = (current - (ring->nr_regions - 2)) * ring->region_bytes;
    if (keep_from > ring->handed)
        ring->handed = ring->released = keep_from;
}

bool ring_arm(struct ring *ring)
{
    uint64_t current = ring->written / ring->region_bytes;
    uint64_t oldest = ring->released / ring->region_bytes;
    if (current - oldest > ring->nr_regions - 2)
        return false;
    ring->limit = (oldest + ring->nr_regions) * ring->region_bytes;
    return true;
}
