/* Kind: core, init */
#include "boot/memory/carve.h"

#include <string.h>

bool memory_map_add(struct memory_map *map, struct range range, uint32_t type)
{
    if (range.start >= range.end)
        return true;
    if (map->nr > 0) {
        struct memory_range *last = &map->ranges[map->nr - 1];
        if (last->type == type && last->range.end == range.start) {
            last->range.end = range.end;
            return true;
        }
    }
    if (map->nr >= MEMORY_MAP_MAX)
        return false;
    map->ranges[map->nr++] = (struct memory_range){range, type};
    return true;
}

static void memory_map_insert(struct memory_map *map, uint32_t index, struct range range, uint32_t type)
{
    memmove(&map->ranges[index + 1], &map->ranges[index], (map->nr - index) * sizeof map->ranges[0]);
    map->ranges[index] = (struct memory_range){range, type};
    map->nr++;
}

bool memory_map_reserve(struct memory_map *map, struct range range)
{
    if (range.start >= range.end)
        return true;
    /* New entries: our own, and one for each entry that is split in two. */
    uint32_t extra = 1;
    for (uint32_t i = 0; i < map->nr; i++) {
        struct range r = map->ranges[i].range;
        if (r.start < range.start && range.end < r.end)
            extra++;
    }
    if (map->nr + extra > MEMORY_MAP_MAX)
        return false;

    uint32_t index = 0; /* after the entries that start below range: a sorted map stays sorted */
    for (uint32_t i = 0; i < map->nr; i++) {
        struct range *r = &map->ranges[i].range;
        if (r->start < range.start)
            index = i + 1;
        if (!range_overlaps(*r, range))
            continue;
        if (r->start < range.start && range.end < r->end) {
            memory_map_insert(map, i + 1, (struct range){range.end, r->end}, map->ranges[i].type);
            r->end = range.start;
            i++;
        } else if (r->start < range.start) {
            r->end = range.start;
        } else if (range.end < r->end) {
            r->start = range.end;
        } else { /* range covers the entry */
            memmove(&map->ranges[i], &map->ranges[i + 1], (map->nr - i - 1) * sizeof map->ranges[0]);
            map->nr--;
            i--;
        }
    }
    memory_map_insert(map, index, range, MEMORY_RESERVED);
    return true;
}

uint64_t memory_map_top(const struct memory_map *map)
{
    uint64_t top = 0;
    for (uint32_t i = 0; i < map->nr; i++) {
        if (map->ranges[i].type == MEMORY_USABLE && map->ranges[i].range.end > top)
            top = map->ranges[i].range.end;
    }
    return top;
}

/* The start of the lowest obstacle that overlaps range, or range.end. Obstacles are the entries that are not usable and
 * the ranges to avoid. */
static uint64_t obstacle_start(const struct memory_map *map, struct range range, const struct range *avoid,
                               unsigned nr_avoid)
{
    uint64_t start = range.end;
    for (uint32_t i = 0; i < map->nr; i++) {
        const struct memory_range *m = &map->ranges[i];
        if (m->type != MEMORY_USABLE && range_overlaps(m->range, range) && m->range.start < start)
            start = m->range.start;
    }
    for (unsigned i = 0; i < nr_avoid; i++) {
        if (range_overlaps(avoid[i], range) && avoid[i].start < start)
            start = avoid[i].start;
    }
    return start;
}

bool memory_range_free(const struct memory_map *map, struct range range, const struct range *avoid, unsigned nr_avoid)
{
    if (range.start >= range.end || obstacle_start(map, range, avoid, nr_avoid) != range.end)
        return false;
    /* Usable entries may adjoin or overlap: walk up through them. */
    uint64_t at = range.start;
    while (at < range.end) {
        uint64_t reached = at;
        for (uint32_t i = 0; i < map->nr; i++) {
            const struct memory_range *m = &map->ranges[i];
            if (m->type == MEMORY_USABLE && m->range.start <= at && m->range.end > reached)
                reached = m->range.end;
        }
        if (reached == at)
            return false;
        at = reached;
    }
    return true;
}

/* The highest fit in one usable range. */
static bool find_in(struct range *out, const struct memory_map *map, struct range usable,
                    const struct carve_request *request)
{
    uint64_t end = usable.end < request->within.end ? usable.end : request->within.end;
    uint64_t floor = usable.start > request->within.start ? usable.start : request->within.start;
    while (end > floor && end - floor >= request->size) {
        uint64_t start = (end - request->size) & ~(request->align - 1);
        if (start < floor)
            return false;
        struct range candidate = {start, start + request->size};
        uint64_t obstacle = obstacle_start(map, candidate, request->avoid, request->nr_avoid);
        if (obstacle == candidate.end) {
            *out = candidate;
            return true;
        }
        end = obstacle; /* below candidate.end, so the loop terminates */
    }
    return false;
}

bool carve_find(struct range *out, const struct memory_map *map, const struct carve_request *request)
{
    bool found = false;
    for (uint32_t i = 0; i < map->nr; i++) {
        struct range fit;
        if (map->ranges[i].type != MEMORY_USABLE || !find_in(&fit, map, map->ranges[i].range, request))
            continue;
        if (!found || fit.start > out->start)
            *out = fit;
        found = true;
    }
    return found;
}
