/*
 * The machine's memory as ranges, and the one range that we take from it.
 *
 * Core. Addresses are physical, ranges are [start, end).
 */
#ifndef BOOT_MEMORY_CARVE_H
#define BOOT_MEMORY_CARVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/range.h"

/* The types of an E820 entry; Multiboot2 uses the same numbers. Others are passed on as they are. */
enum memory_type { MEMORY_USABLE = 1, MEMORY_RESERVED = 2, MEMORY_ACPI = 3, MEMORY_NVS = 4, MEMORY_BAD = 5 };

struct memory_range {
    struct range range;
    uint32_t type;
};

/* UEFI firmware of servers has some 200 ranges, of which GRUB makes fewer. */
#define MEMORY_MAP_MAX 512u

struct memory_map {
    uint32_t nr;
    struct memory_range ranges[MEMORY_MAP_MAX];
};

/* Append an entry; one that continues the last, with its type, grows it. Empty and wrapping ranges are left out. false:
 * the map is full. */
bool memory_map_add(struct memory_map *map, struct range range, uint32_t type);

/* Make range reserved: entries that it overlaps are cut; an empty range is nothing. false: the map is full, and
 * unchanged. */
bool memory_map_reserve(struct memory_map *map, struct range range);

/* End of the highest usable range, 0 where there is none. */
uint64_t memory_map_top(const struct memory_map *map);

/* Is all of range usable, in no other entry, and clear of the nr ranges at avoid? */
bool memory_range_free(const struct memory_map *map, struct range range, const struct range *avoid, unsigned nr_avoid);

/* Where to look for memory. */
struct carve_request {
    uint64_t size;       /* bytes, not 0 */
    uint64_t align;      /* a power of two */
    struct range within; /* the result lies in here */
    const struct range *avoid;
    unsigned nr_avoid;
};

/* The highest free place that fits. false: there is none. */
bool carve_find(struct range *out, const struct memory_map *map, const struct carve_request *request);

#endif
