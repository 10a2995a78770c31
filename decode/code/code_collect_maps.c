/* The MAP records of a capture, as the decoder of one CPU's trace needs them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "decode/code/code_collect.h"
#include "decode/code/code_generations.h"

#define CR3_TABLE 0x000ffffffffff000ull
#define LARGEST_STRETCH (2ull << 20) /* but for pages that are larger, of which none is missed */

static bool add_map(struct collection *all, const struct code_map *map)
{
    if (all->nr_maps == all->map_room) {
        size_t room = all->map_room ? 2 * all->map_room : 256;
        struct code_map *more = realloc(all->maps, room * sizeof(*more));
        if (!more)
            return false;
        all->maps = more;
        all->map_room = room;
    }
    all->maps[all->nr_maps++] = *map;
    return true;
}

/* Since when the mapping is valid. If this CPU sent it: since the fault, because between the fault and the reading of
 * the page tables only the guest's handler ran, and no code in the new mapping. Without a fault, and for other CPUs,
 * only the latest possible time is known. */
static void place_map(struct code_map *map, const struct collection *all, uint16_t cpu)
{
    map->sender = cpu;
    map->foreign = cpu != all->cpu;
    if (map->foreign) {
        map->earliest = code_seen_before(&all->seen, map->number);
        if (!code_seen_from(&map->from, &all->seen, map->number))
            map->from = UINT64_MAX;
        return;
    }
    map->from = map->fault_offset;
    map->earliest = map->fault_offset;
    if (map->fault_offset == map->read_offset)
        map->earliest = code_seen_before(&all->seen, map->number);
}

static int compare_stretches(const void *left, const void *right)
{
    const struct code_map *a = left, *b = right;
    if (a->space != b->space)
        return a->space < b->space ? -1 : 1;
    if (a->linear != b->linear)
        return a->linear < b->linear ? -1 : 1;
    if (a->size != b->size)
        return a->size < b->size ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static bool same_stretch(const struct code_map *a, const struct code_map *b)
{
    return a->space == b->space && a->linear == b->linear && a->size == b->size;
}

/* Was a page that is recorded as missed read anyway? The same CPU may have read it after the fault because of another
 * fault in the stretch. Stretches with the page begin at its address or before it. */
static bool was_read(const struct collection *all, size_t missed)
{
    const struct code_map *page = &all->maps[missed];
    size_t after = missed + 1;
    while (after < all->nr_maps && all->maps[after].space == page->space && all->maps[after].linear == page->linear)
        after++;
    for (size_t i = after; i-- > 0;) {
        const struct code_map *map = &all->maps[i];
        uint64_t gpa;
        if (map->space != page->space || page->linear - map->linear >= LARGEST_STRETCH)
            return false;
        if (map->number < page->number && map->sender == page->sender && !map->looked_at &&
            map->read_offset >= page->fault_offset && page->linear - map->linear < map->size &&
            code_map_find(&gpa, map, page->linear))
            return true;
    }
    return false;
}

static void drop_served(struct collection *all)
{
    size_t kept = 0;
    bool *drop = calloc(all->nr_maps + 1, sizeof(*drop));
    for (size_t i = 0; drop && i < all->nr_maps; i++)
        drop[i] = code_map_is_missed(&all->maps[i]) && was_read(all, i);
    for (size_t i = 0; drop && i < all->nr_maps; i++)
        if (!drop[i])
            all->maps[kept++] = all->maps[i];
    all->nr_maps = drop ? kept : all->nr_maps; /* without memory all stay: less is known, but nothing is wrong */
    free(drop);
}

/* Of two faults that were pending at once, the later one can be read first. What only the second
 * reading found was mapped after the first. */
static void order_readings(struct collection *all)
{
    const struct code_map *before = NULL;
    for (size_t i = 0; i < all->nr_maps; i++) {
        struct code_map *map = &all->maps[i];
        if (map->foreign)
            continue;
        if (before && same_stretch(before, map) && map->from < before->read_offset)
            map->from = map->earliest = before->read_offset;
        before = map;
    }
}

/* A mapping that another CPU read before this one did ends when this CPU's reading becomes valid. The maps are in
 * order.
 */
static void end_older_readings(struct collection *all)
{
    const struct code_map *next = NULL; /* this CPU's next reading of the stretch */
    for (size_t i = all->nr_maps; i-- > 0;) {
        struct code_map *map = &all->maps[i];
        if (next && same_stretch(map, next) && map->foreign && map->from > next->from)
            map->from = next->from;
        if (!map->foreign)
            next = map;
    }
}

static bool take_map(struct collection *all, const struct capture_record *record, struct error *error)
{
    struct code_map map, wide;
    enum code_map_error wrong =
        code_map_parse(&map, record->payload, record->header.length, record->header.trace_offset);
    if (wrong)
        return error_set(error, ERROR_MAP_RECORD, record->events_offset, "%s", code_map_error_text(wrong));
    place_map(&map, all, record->header.cpu);
    if (map.ended) {
        all->ends[all->nr_ends++] = map;
        return true;
    }
    bool good = add_map(all, &map);
    for (size_t i = 0; i < map.nr_runs && good; i++)
        if (code_map_widen(&wide, &map, i))
            good = add_map(all, &wide);
    return good || error_set(error, ERROR_MEMORY, 0, "the code's mappings");
}

/* Has the guest executed 32-bit code only? */
static bool is_guest_32(const struct capture *capture)
{
    bool any = false;
    for (size_t i = 0; i < capture->nr_records; i++) {
        const struct capture_record *record = &capture->records[i];
        struct record_page page;
        if (record->header.kind != RECORD_PAGE)
            continue;
        memcpy(&page, record->payload, sizeof(page));
        if (page.flags & RECORD_PAGE_ROOT)
            continue;
        if (page.mode == 64)
            return false;
        any = any || page.mode == 32;
    }
    return any;
}

/* Where the kernel's half begins. A 32-bit kernel chooses that when it is built; user mode executes nothing there. */
static uint64_t find_shared(const struct collection *all)
{
    uint64_t end = 0;
    if (!is_guest_32(all->capture))
        return CODE_SHARED_FROM;
    for (size_t i = 0; i < all->nr_maps; i++) {
        const struct code_map *map = &all->maps[i];
        for (size_t k = 0; k < map->nr_runs; k++) {
            const struct record_map_run *run = &map->runs[k];
            const uint64_t run_end = run->linear + (uint64_t)run->pages * RECORD_PAGE_SIZE;
            end = run->flags & RECORD_MAP_USER && run_end > end ? run_end : end;
        }
    }
    return end ? end : CODE_SHARED_FROM;
}

#define PAGE_STRETCH 65536u /* the part of a space that a MAP record covers around a page */

/* The recorded stretches of the guest's lower half, where spaces differ. A page counts as its whole stretch, since the
 * end of the space may invalidate records of all of it. */
static size_t take_stretches(struct code_stretch *to, const struct collection *all)
{
    size_t nr = 0;
    for (size_t i = 0; i < all->nr_maps; i++) {
        const struct code_map *map = &all->maps[i];
        if (map->linear < all->shared_from && !code_map_is_missed(map))
            to[nr++] = (struct code_stretch){map->space, map->linear, map->size, map->number};
    }
    for (size_t i = 0; i < all->capture->nr_records; i++) {
        const struct capture_record *record = &all->capture->records[i];
        struct record_page page;
        if (record->header.kind != RECORD_PAGE)
            continue;
        memcpy(&page, record->payload, sizeof(page));
        if (!(page.flags & RECORD_PAGE_ROOT) && page.gva < all->shared_from)
            to[nr++] = (struct code_stretch){page.cr3 & CR3_TABLE, page.gva & ~(PAGE_STRETCH - 1ull), PAGE_STRETCH,
                                             page.number};
    }
    return nr;
}

/* Add the ends of spaces that have ended since they were recorded. */
static bool end_generations(struct collection *all)
{
    struct code_map *ends = NULL;
    size_t nr = 0;
    if (all->nr_ends == 0)
        return true;
    struct code_stretch *stretches = malloc((all->nr_maps + all->capture->nr_records + 1) * sizeof(*stretches));
    bool good = stretches &&
                code_generations_end(&ends, &nr, all->ends, all->nr_ends, stretches, take_stretches(stretches, all));
    for (size_t i = 0; i < nr && good; i++)
        good = add_map(all, &ends[i]);
    free(ends);
    free(stretches);
    return good;
}

bool collect_maps(struct collection *all, struct error *error)
{
    all->ends = malloc((all->capture->nr_records + 1) * sizeof(*all->ends));
    if (!all->ends)
        return error_set(error, ERROR_MEMORY, 0, "the code's mappings");
    for (size_t i = 0; i < all->capture->nr_records; i++)
        if (all->capture->records[i].header.kind == RECORD_MAP && !take_map(all, &all->capture->records[i], error))
            return false;
    all->shared_from = find_shared(all);
    if (!end_generations(all))
        return error_set(error, ERROR_MEMORY, 0, "the code's mappings");
    if (all->nr_maps)
        qsort(all->maps, all->nr_maps, sizeof(*all->maps), compare_stretches);
    drop_served(all);
    order_readings(all);
    end_older_readings(all);
    return true;
}
