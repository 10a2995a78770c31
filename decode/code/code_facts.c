#include "decode/code/code_facts.h"

#include <stdlib.h>

#define CHUNK (64ull << 10) /* the hypervisor reads so much at a time: vmx/guest/walk.h, GUEST_STRETCH_ENTRIES */

#define LARGE_CHUNK (2ull << 20)

uint64_t code_facts_place(uint64_t gva, bool large)
{
    return large ? (gva & ~(LARGE_CHUNK - 1)) | 1 : gva & ~(CHUNK - 1);
}

uint64_t code_facts_next_place(uint64_t place)
{
    return place + (place & 1 ? LARGE_CHUNK : CHUNK);
}

static int order(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

/* The facts of a record about its own stretch follow those about a large page around it. */
static int compare_facts(const void *left, const void *right)
{
    const struct fact *a = left, *b = right;
    if (a->place != b->place)
        return order(a->place, b->place);
    if (a->group != b->group)
        return order(a->group, b->group);
    if (a->from != b->from)
        return order(a->from, b->from);
    if (a->number != b->number)
        return order(a->number, b->number);
    return a->page ? order(a->page->file_offset, b->page->file_offset) : order(a->map->size, b->map->size) * -1;
}

static bool add_fact(struct fact_list *list, const struct fact *fact)
{
    if (list->count == list->room) {
        size_t room = list->room ? 2 * list->room : 256;
        struct fact *more = realloc(list->items, room * sizeof(*more));
        if (!more)
            return false;
        list->items = more;
        list->room = room;
    }
    list->items[list->count++] = *fact;
    return true;
}

static bool add_grouped(struct fact_list *list, struct fact fact, uint64_t group)
{
    fact.group = group;
    return add_fact(list, &fact);
}

static bool add_page(struct code_facts *facts, const struct page_record *page)
{
    const struct fact fact = {.place = page->gva, .from = page->from, .number = page->number, .page = page};
    return add_grouped(&facts->pages_by_space, fact, page->space) &&
           (page->root ||
            (add_grouped(&facts->pages_by_time, fact, 0) && add_grouped(&facts->pages_by_owner, fact, page->foreign)));
}

static bool add_map(struct code_facts *facts, const struct code_map *map)
{
    const bool large = map->size > CHUNK;
    const uint64_t last = code_facts_place(map->linear + (map->size - 1), large);
    struct fact fact = {
        .place = code_facts_place(map->linear, large), .from = map->from, .number = map->number, .map = map};
    struct fact of_space = fact;
    of_space.place = map->space;
    if ((map->nr_runs || map->ended) && !add_grouped(&facts->maps_of_space, of_space, 0))
        return false;
    for (;; fact.place = code_facts_next_place(fact.place)) {
        if (!add_grouped(&facts->maps_by_space, fact, map->space) || !add_grouped(&facts->maps_by_time, fact, 0))
            return false;
        if (fact.place == last)
            return true;
    }
}

static void sort_list(struct fact_list *list)
{
    if (list->count)
        qsort(list->items, list->count, sizeof(*list->items), compare_facts);
}

bool code_facts_build(struct code_facts *facts, const struct page_record *pages, size_t nr_pages,
                      const struct code_map *maps, size_t nr_maps)
{
    bool good = true;
    *facts = (struct code_facts){0};
    for (size_t i = 0; i < nr_pages && good; i++)
        good = add_page(facts, &pages[i]);
    for (size_t i = 0; i < nr_maps && good; i++)
        good = add_map(facts, &maps[i]);
    good = good && code_mapped_build(&facts->mapped, maps, nr_maps);
    sort_list(&facts->pages_by_space);
    sort_list(&facts->maps_by_space);
    sort_list(&facts->pages_by_time);
    sort_list(&facts->maps_by_time);
    sort_list(&facts->pages_by_owner);
    sort_list(&facts->maps_of_space);
    if (!good)
        code_facts_free(facts);
    return good;
}

void code_facts_free(struct code_facts *facts)
{
    free(facts->pages_by_space.items);
    free(facts->maps_by_space.items);
    free(facts->pages_by_time.items);
    free(facts->maps_by_time.items);
    free(facts->pages_by_owner.items);
    free(facts->maps_of_space.items);
    code_mapped_free(&facts->mapped);
    *facts = (struct code_facts){0};
}

size_t fact_list_first(const struct fact_list *list, uint64_t place)
{
    size_t low = 0, high = list->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list->items[middle].place < place)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t fact_list_after(const struct fact_list *list, uint64_t place, uint64_t group, uint64_t at)
{
    size_t low = 0, high = list->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct fact *fact = &list->items[middle];
        bool before = fact->place != place   ? fact->place < place
                      : fact->group != group ? fact->group < group
                                             : fact->from <= at;
        if (before)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct fact *fact_list_at(const struct fact_list *list, size_t index, uint64_t place, uint64_t group)
{
    const struct fact *fact = index < list->count ? &list->items[index] : NULL;
    return fact && fact->place == place && fact->group == group ? fact : NULL;
}
