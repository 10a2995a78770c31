/* From the records of a capture to what counts for the trace of one CPU. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/code/code_lives.h"
#include "decode/code/code_pages.h"
#include "decode/code/code_seen.h"
#include "pt/rtit.h"

#define CR3_TABLE 0x000ffffffffff000ull
#define LARGEST_STRETCH (2ull << 20) /* but for pages that are larger, of which none is missed */

struct collection {
    const struct capture *capture;
    uint16_t cpu;
    struct code_seen seen;
    struct page_record *pages;
    size_t nr_pages;
    struct code_map *maps;
    size_t nr_maps, map_room;
    struct code_map *ends; /* of spaces */
    size_t nr_ends;
};

/* From when on a page is as a device wrote it: since the guest's fault, upon which it was mapped. */
static uint64_t refilled_from(const struct collection *all, const struct capture_record *record)
{
    const struct capture_record *end = all->capture->records + all->capture->nr_records;
    struct record_map map;
    for (const struct capture_record *next = record + 1; next < end; next++)
        if (next->header.kind == RECORD_MAP && next->header.cpu == record->header.cpu &&
            next->header.length >= sizeof(map)) {
            memcpy(&map, next->payload, sizeof(map));
            if (map.flags & RECORD_MAP_LOOKED_AT)
                break; /* since when, nobody knows */
            return map.fault_offset < record->header.trace_offset ? map.fault_offset : record->header.trace_offset;
        }
    return record->header.trace_offset;
}

/* Does the record say something about this CPU's code? */
static bool take_page(struct page_record *to, const struct collection *all, const struct capture_record *record)
{
    struct record_page page;
    uint64_t from;
    memcpy(&page, record->payload, sizeof(page));
    bool foreign = record->header.cpu != all->cpu, root = page.flags & RECORD_PAGE_ROOT;
    /* The hypervisor's own code never changes. */
    uint64_t number = root ? 0 : page.number;
    if (!code_seen_from(&from, &all->seen, number)) {
        /* It never ran this, but where there are maps, what the record says of its address may be true for it, too. */
        if (all->nr_maps == 0)
            return false;
        from = UINT64_MAX;
    }
    if (page.flags & RECORD_PAGE_REFILLED && !foreign)
        from = refilled_from(all, record);
    *to = (struct page_record){
        .gva = page.gva & ~(uint64_t)(RECORD_PAGE_SIZE - 1),
        .gpa = page.gpa & ~(uint64_t)(RECORD_PAGE_SIZE - 1),
        .space = page.cr3,
        .number = number,
        .from = number == 0 && !foreign ? record->header.trace_offset : from,
        .earliest = code_seen_before(&all->seen, number),
        .file_offset = record->events_offset + sizeof(record->header) + sizeof(page),
        .bytes = record->payload + sizeof(page),
        .root = root,
        .foreign = foreign,
    };
    return true;
}

static uint64_t code_base_of(const struct capture_record *record)
{
    struct record_page page;
    memcpy(&page, record->payload, sizeof(page));
    return page.code_base;
}

/* The same page at the IP of a code segment with a base. false: it has none, or none that pages can tell. */
static bool rebase_page(struct page_record *to, const struct capture_record *record)
{
    const uint64_t base = code_base_of(record);
    if (base == 0 || base % RECORD_PAGE_SIZE != 0 || base > to->gva)
        return false;
    to[1] = to[0];
    to[1].gva -= base;
    to[1].base = base;
    return true;
}

/* Do the CPU's packets tell IPs without the code segment's base? A CPU that is as the first one has no line of its own.
 */
static bool has_plain_ips(const struct capture *capture, uint16_t cpu)
{
    char own[32];
    uint64_t ecx;
    snprintf(own, sizeof(own), "cpu%u_cpuid_14_0_ecx", cpu);
    return (text_find_number(&ecx, capture->hello, own) || text_find_number(&ecx, capture->hello, "cpuid_14_0_ecx")) &&
           !(ecx & CPUID_14_ECX_LIP);
}

static bool take_pages(struct collection *all)
{
    const struct capture *capture = all->capture;
    bool plain_ips = has_plain_ips(capture, all->cpu);
    all->pages = malloc(2 * (capture->nr_records + 1) * sizeof(*all->pages));
    if (!all->pages)
        return false;
    for (size_t i = 0; i < capture->nr_records; i++) {
        struct page_record *to = &all->pages[all->nr_pages];
        if (capture->records[i].header.kind != RECORD_PAGE || !take_page(to, all, &capture->records[i]))
            continue;
        if (!plain_ips)
            to->cs_base = code_base_of(&capture->records[i]);
        all->nr_pages += plain_ips && rebase_page(to, &capture->records[i]) ? 2 : 1;
    }
    return true;
}

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

/* From when on it holds. Of this CPU: between the fault and the reading its guest's handler ran, and nothing of what
 * was mapped then. Where there was no fault, and for other CPUs, it is only known when at the latest. */
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

/* A page is told as missed although the same CPU had read it behind the fault, for another fault of the stretch: then
 * it was what that reading says. Stretches that have the page begin at it or before it. */
static bool was_read(const struct collection *all, size_t missed)
{
    const struct code_map *page = &all->maps[missed];
    size_t behind = missed + 1;
    while (behind < all->nr_maps && all->maps[behind].space == page->space && all->maps[behind].linear == page->linear)
        behind++;
    for (size_t i = behind; i-- > 0;) {
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
    all->nr_maps = drop ? kept : all->nr_maps; /* without memory more is unknown, and nothing wrong */
    free(drop);
}

/* Of two faults that were pending at once, the later one can be read first. What the second reading found and the first
 * one did not, was mapped behind the first. */
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

/* What another CPU read before this one did, is no more when this one's reading holds. They are in order. */
static void end_older_readings(struct collection *all)
{
    const struct code_map *behind = NULL; /* this CPU's next reading of the stretch */
    for (size_t i = all->nr_maps; i-- > 0;) {
        struct code_map *map = &all->maps[i];
        if (behind && same_stretch(map, behind) && map->foreign && map->from > behind->from)
            map->from = behind->from;
        if (!map->foreign)
            behind = map;
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

#define PAGE_STRETCH 65536u /* as much as MAP records tell around a page */

/* What was told of the guest's lower half, where spaces differ. Of a page its stretch, since what ends with it may have
 * been told of all of that. */
static size_t take_stretches(struct code_stretch *to, const struct collection *all)
{
    size_t nr = 0;
    for (size_t i = 0; i < all->nr_maps; i++) {
        const struct code_map *map = &all->maps[i];
        if (!(map->linear >> 63) && !code_map_is_missed(map))
            to[nr++] = (struct code_stretch){map->space, map->linear, map->size, map->number};
    }
    for (size_t i = 0; i < all->capture->nr_records; i++) {
        const struct capture_record *record = &all->capture->records[i];
        struct record_page page;
        if (record->header.kind != RECORD_PAGE)
            continue;
        memcpy(&page, record->payload, sizeof(page));
        if (!(page.flags & RECORD_PAGE_ROOT) && !(page.gva >> 63))
            to[nr++] = (struct code_stretch){page.cr3 & CR3_TABLE, page.gva & ~(PAGE_STRETCH - 1ull), PAGE_STRETCH,
                                             page.number};
    }
    return nr;
}

/* What was told of spaces that have ended since. */
static bool end_lives(struct collection *all)
{
    struct code_map *lives = NULL;
    size_t nr = 0;
    if (all->nr_ends == 0)
        return true;
    struct code_stretch *stretches = malloc((all->nr_maps + all->capture->nr_records + 1) * sizeof(*stretches));
    bool good =
        stretches && code_lives_end(&lives, &nr, all->ends, all->nr_ends, stretches, take_stretches(stretches, all));
    for (size_t i = 0; i < nr && good; i++)
        good = add_map(all, &lives[i]);
    free(lives);
    free(stretches);
    return good;
}

static bool take_maps(struct collection *all, struct error *error)
{
    all->ends = malloc((all->capture->nr_records + 1) * sizeof(*all->ends));
    if (!all->ends)
        return error_set(error, ERROR_MEMORY, 0, "the code's mappings");
    for (size_t i = 0; i < all->capture->nr_records; i++)
        if (all->capture->records[i].header.kind == RECORD_MAP && !take_map(all, &all->capture->records[i], error))
            return false;
    if (!end_lives(all))
        return error_set(error, ERROR_MEMORY, 0, "the code's mappings");
    if (all->nr_maps)
        qsort(all->maps, all->nr_maps, sizeof(*all->maps), compare_stretches);
    drop_served(all);
    order_readings(all);
    end_older_readings(all);
    return true;
}

bool code_pages_collect(struct code_pages *pages, const struct capture *capture, uint16_t cpu, struct error *error)
{
    struct collection all = {.capture = capture, .cpu = cpu};
    *pages = (struct code_pages){0};
    bool good = code_seen_collect(&all.seen, capture, cpu) && take_maps(&all, error) && take_pages(&all);
    code_seen_free(&all.seen);
    free(all.ends);
    if (!good) {
        free(all.maps);
        free(all.pages);
    }
    if (good && code_pages_build(pages, all.pages, all.nr_pages, all.maps, all.nr_maps) &&
        asprintf(&pages->file, "%s/events.bin", capture->directory) >= 0) {
        pages->cpu = cpu;
        return true;
    }
    pages->file = NULL;
    code_pages_free(pages);
    return error_set(error, ERROR_MEMORY, 0, "the code pages");
}
