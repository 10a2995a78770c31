/*
 * The machine's memory map, and finding free ranges in it.
 *
 * Addresses are physical, ranges are [start, end).
 */
#ifndef BOOT_MEMORY_CARVE_H
#define BOOT_MEMORY_CARVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/range.h"

/* The types of an E820 entry; Multiboot2 uses the same numbers. Other types are kept unchanged. */
enum memory_type { MEMORY_USABLE = 1, MEMORY_RESERVED = 2, MEMORY_ACPI = 3, MEMORY_NVS = 4, MEMORY_BAD = 5 };

struct memory_range {
    struct range range;
    uint32_t type;
};

/* UEFI firmware of servers reports about 200 ranges, which GRUB merges into fewer. */
#define MEMORY_MAP_MAX 512u

struct memory_map {
    uint32_t nr;
    struct memory_range ranges[MEMORY_MAP_MAX];
};

/* Append an entry, or extend the last one if range continues it with the same type. Empty and wrapping ranges are
 * ignored. false: the map is full. */
bool memory_map_add(struct memory_map *map, struct range range, uint32_t type);

/* Make range reserved, and cut or remove the entries that it overlaps. An empty range is ignored. false: the map is
 * full, and unchanged. */
bool memory_map_reserve(struct memory_map *map, struct range range);

/* End of the highest usable range, 0 if there is none. */
uint64_t memory_map_top(const struct memory_map *map);

/* Is all of range usable, outside all entries of other types, and outside the nr_avoid ranges at avoid? */
bool memory_range_free(const struct memory_map *map, struct range range, const struct range *avoid, unsigned nr_avoid);

/* What memory to find. */
struct carve_request {
    uint64_t size;       /* bytes, not 0 */
    uint64_t align;      /* a power of two */
    struct range within; /* limits of the result */
    const struct range *avoid;
    unsigned nr_avoid;
};

/* Find the highest free range that fits. false: there is none. */
bool carve_find(struct range *out, const struct memory_map *map, const struct carve_request *request);

#endif
