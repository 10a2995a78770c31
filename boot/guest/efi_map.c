/* Kind: core, init */
#include "boot/guest/efi_map.h"

#include <string.h>

#include "base/bytes.h"

enum descriptor_field { TYPE = 0, PHYSICAL_START = 8, NUMBER_OF_PAGES = 24, DESCRIPTOR_MIN_SIZE = 40 };
#define EFI_RESERVED_MEMORY_TYPE 0u
#define EFI_PAGE_SHIFT 12

uint32_t efi_map_bytes(const struct mb2_efi_map *map)
{
    if (!map->bytes || map->descriptor_size < DESCRIPTOR_MIN_SIZE || map->descriptor_size > map->size)
        return 0;
    return (map->size / map->descriptor_size + 2) * map->descriptor_size;
}

/* Write a copy of descriptor from for the pages of part, unless part is empty. Returns the bytes written. */
static uint32_t put_part(uint8_t *out, const uint8_t *from, uint32_t size, struct range part, bool reserved)
{
    if (part.start >= part.end)
        return 0;
    memcpy(out, from, size);
    if (reserved)
        put32(out + TYPE, EFI_RESERVED_MEMORY_TYPE);
    put64(out + PHYSICAL_START, part.start);
    put64(out + NUMBER_OF_PAGES, (part.end - part.start) >> EFI_PAGE_SHIFT);
    return size;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Split a descriptor that overlaps ours into up to three parts. If room is too small for them, as in an invalid map
 * with overlapping descriptors, mark all of it as reserved. */
static uint32_t put_cut(uint8_t *out, const uint8_t *from, uint32_t size, struct range all, struct range ours,
                        uint32_t room)
{
    uint32_t nr_parts = 1u + (all.start < ours.start) + (ours.end < all.end);
    if (nr_parts * size > room)
        return put_part(out, from, size, all, true);
    struct range within = {larger(all.start, ours.start), smaller(all.end, ours.end)};
    uint32_t used = put_part(out, from, size, (struct range){all.start, within.start}, false);
    used += put_part(out + used, from, size, within, true);
    return used + put_part(out + used, from, size, (struct range){within.end, all.end}, false);
}

uint32_t efi_map_build(uint8_t *out, const struct mb2_efi_map *map, struct range ours)
{
    uint32_t size = map->descriptor_size, used = 0, limit = efi_map_bytes(map);
    for (uint32_t at = 0; limit > 0 && map->size - at >= size; at += size) {
        const uint8_t *from = map->bytes + at;
        uint64_t start = read64(from + PHYSICAL_START);
        struct range all = {start, start + (read64(from + NUMBER_OF_PAGES) << EFI_PAGE_SHIFT)};
        if (range_overlaps(all, ours)) {
            uint32_t others = ((map->size - at) / size - 1) * size; /* the remaining descriptors */
            used += put_cut(out + used, from, size, all, ours, limit - used - others);
        } else {
            memcpy(out + used, from, size);
            used += size;
        }
    }
    return used;
}
