/* Kind: core, init */
#include "boot/guest/efi_map.h"

#include <string.h>

#include "base/bytes.h"
#include "base/smaller.h"

enum descriptor_field { TYPE = 0, PHYSICAL_START = 8, NUMBER_OF_PAGES = 24, ATTRIBUTE = 32, DESCRIPTOR_MIN_SIZE = 40 };
enum efi_memory_type {
    EFI_RESERVED_MEMORY_TYPE = 0,
    EFI_LOADER_CODE = 1,
    EFI_LOADER_DATA = 2,
    EFI_CONVENTIONAL_MEMORY = 7
};
#define EFI_MEMORY_SP (1ull << 18) /* for a specific purpose, which drivers of the guest decide */
#define EFI_PAGE_SHIFT 12

uint32_t efi_map_bytes(const struct boot_efi_map *map)
{
    if (!map->bytes || map->descriptor_size < DESCRIPTOR_MIN_SIZE || map->descriptor_size > map->size)
        return 0;
    return (map->size / map->descriptor_size + 2) * map->descriptor_size;
}

static struct range descriptor_range(const uint8_t *descriptor)
{
    const uint64_t start = read64(descriptor + PHYSICAL_START);

    return (struct range){start, start + (read64(descriptor + NUMBER_OF_PAGES) << EFI_PAGE_SHIFT)};
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
    struct range within = {larger(all.start, ours.start), smaller_of(all.end, ours.end)};
    uint32_t used = put_part(out, from, size, (struct range){all.start, within.start}, false);
    used += put_part(out + used, from, size, within, true);
    return used + put_part(out + used, from, size, (struct range){within.end, all.end}, false);
}

uint32_t efi_map_build(uint8_t *out, const struct boot_efi_map *map, struct range ours)
{
    uint32_t size = map->descriptor_size, used = 0, limit = efi_map_bytes(map);
    for (uint32_t at = 0; limit > 0 && map->size - at >= size; at += size) {
        const uint8_t *from = map->bytes + at;
        struct range all = descriptor_range(from);
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

/* The loader's memory is the boot loader's, which has ended; what is still needed of it is known to our callers. */
static bool is_free(const uint8_t *descriptor)
{
    const uint32_t type = read32(descriptor + TYPE);

    return type == EFI_LOADER_CODE || type == EFI_LOADER_DATA ||
           (type == EFI_CONVENTIONAL_MEMORY && !(read64(descriptor + ATTRIBUTE) & EFI_MEMORY_SP));
}

/* The free memory that contains at, or the next above; it extends across adjoining descriptors. Empty: there is none.
 */
static struct range next_free(const struct boot_efi_map *efi, uint64_t at)
{
    struct range found = {UINT64_MAX, UINT64_MAX};
    bool changed = true;

    while (changed) {
        changed = false;
        for (uint32_t i = 0; efi->size - i >= efi->descriptor_size; i += efi->descriptor_size) {
            const struct range r = descriptor_range(efi->bytes + i);
            const uint64_t start = larger(r.start, at);
            if (r.end <= start || !is_free(efi->bytes + i))
                continue;
            if (start < found.start) {
                found = (struct range){start, r.end};
                changed = true;
            } else if (start <= found.end && r.end > found.end) {
                found.end = r.end;
                changed = true;
            }
        }
    }
    return found;
}

void efi_map_places(struct memory_map *places, const struct memory_map *map, const struct boot_efi_map *efi)
{
    *places = *map;
    if (efi_map_bytes(efi) == 0)
        return;
    places->nr = 0;
    for (uint32_t i = 0; i < map->nr; i++) {
        if (map->ranges[i].type != MEMORY_USABLE)
            memory_map_add(places, map->ranges[i].range, map->ranges[i].type);
    }
    for (uint32_t i = 0; i < map->nr; i++) {
        const struct range usable = map->ranges[i].range;
        if (map->ranges[i].type != MEMORY_USABLE)
            continue;
        /* What does not fit into the map any more is not used. */
        for (struct range r = next_free(efi, usable.start); r.start < usable.end; r = next_free(efi, r.end))
            memory_map_add(places, (struct range){r.start, smaller_of(r.end, usable.end)}, MEMORY_USABLE);
    }
}
