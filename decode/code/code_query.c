#include "decode/code/code_query.h"

#include <string.h>

static void lower_until(struct query *query, uint64_t from)
{
    if (from > query->at && from < query->until)
        query->until = from;
}

const struct page_record *query_contents(struct query *query, uint64_t gpa)
{
    return code_memory_at(&query->pages->memory, false, gpa, query->at, &query->until);
}

bool query_same(const struct page_record *a, const struct page_record *b)
{
    return a == b || a->bytes == b->bytes || !memcmp(a->bytes, b->bytes, RECORD_PAGE_SIZE);
}

static void choose(const struct page_record **chosen, bool *differ, const struct page_record *page)
{
    if (!*chosen)
        *chosen = page;
    else
        *differ = *differ || !query_same(*chosen, page);
}

void choice_add(struct query *query, struct choice *choice, uint64_t gpa)
{
    const struct page_record *page = query_contents(query, gpa);
    if (page && page->from <= query->at)
        choose(&choice->now, &choice->now_differ, page);
    else if (page)
        choose(&choice->later, &choice->later_differ, page);
}

bool choice_empty(const struct choice *choice)
{
    return !choice->now && !choice->later;
}

const struct page_record *choice_made(const struct choice *choice)
{
    if (choice->now)
        return choice->now_differ ? NULL : choice->now;
    return choice->later_differ ? NULL : choice->later;
}

static struct said say(const struct fact *fact, uint64_t gva)
{
    struct said said = {.fact = fact};
    if (fact->page) {
        said.present = true;
        said.gpa = fact->page->gpa;
    } else {
        said.present = code_map_find(&said.gpa, fact->map, gva);
    }
    return said;
}

uint64_t query_earliest(const struct fact *fact)
{
    return fact->page ? fact->page->earliest : fact->map->earliest;
}

/* A stretch can be smaller than a chunk. */
static bool covers(const struct fact *fact, uint64_t gva)
{
    return fact->page || (gva >= fact->map->linear && gva - fact->map->linear < fact->map->size);
}

struct said query_say(const struct query *query, const struct fact *fact)
{
    return covers(fact, query->gva) ? say(fact, query->gva) : (struct said){0};
}

struct query query_of(const struct code_pages *pages, uint64_t space, uint64_t at, uint64_t gva)
{
    return (struct query){pages, space, at, gva, UINT64_MAX, 0};
}

struct lists query_lists(const struct query *query, const struct fact_list *pages, const struct fact_list *maps,
                         uint64_t group)
{
    return (struct lists){{pages, maps, maps},
                          {query->gva, code_facts_place(query->gva, false), code_facts_place(query->gva, true)},
                          group};
}

struct lists query_space(const struct query *query, uint64_t space)
{
    const struct code_facts *facts = &query->pages->facts;
    return query_lists(query, &facts->pages_by_space, &facts->maps_by_space, space);
}

struct lists query_all(const struct query *query)
{
    const struct code_facts *facts = &query->pages->facts;
    return query_lists(query, &facts->pages_by_time, &facts->maps_by_time, 0);
}

/* The end of a generation of the space: records on one side of it say nothing about the other side. */
static bool is_end(const struct fact *fact)
{
    return fact->map && fact->map->ended;
}

/* The nearest fact of a list, from index on, that covers the address and, where wanted, names a page for it; or an end.
 */
static struct said nearest(const struct query *query, const struct lists *lists, unsigned k, size_t index,
                           enum direction direction, enum wanted wanted)
{
    const struct fact *fact;
    if (direction == BACK)
        index--;
    for (; (fact = fact_list_at(lists->lists[k], index, lists->places[k], lists->group));
         index += direction == ON ? (size_t)1 : (size_t)-1) {
        if (!covers(fact, query->gva) || (query->below && fact->from == query->at && fact->number >= query->below))
            continue;
        struct said said = say(fact, query->gva);
        if (said.present || wanted == ANY || is_end(fact))
            return said;
    }
    return (struct said){0};
}

struct said query_find(struct query *query, const struct lists *lists, enum direction direction, enum wanted wanted)
{
    struct said best = {0};
    for (unsigned k = 0; k < NR_LISTS; k++) {
        size_t index = fact_list_after(lists->lists[k], lists->places[k], lists->group, query->at);
        const struct fact *later = fact_list_at(lists->lists[k], index, lists->places[k], lists->group);
        if (later) {
            lower_until(query, later->from);
            lower_until(query, query_earliest(later));
        }
        struct said said = nearest(query, lists, k, index, direction, wanted);
        bool newer = said.fact && best.fact &&
                     (said.fact->from != best.fact->from ? said.fact->from > best.fact->from
                                                         : said.fact->number > best.fact->number);
        if (said.fact && (!best.fact || newer == (direction == BACK)))
            best = said;
    }
    return best.present || wanted == ANY ? best : (struct said){0};
}

/* Is the fact certain for the moment of its record only, and not since its offset? A scan of the whole space takes
 * place some time after the change. And a page that is absent may have been mapped until then, if the stretch was read
 * between the fault and the record. */
static bool is_seen_later(const struct query *query, struct said said)
{
    const struct code_map *map = said.fact ? said.fact->map : NULL;
    return map && !map->foreign && query->at < map->read_offset &&
           (map->looked_at || (!said.present && !code_map_is_missed(map) && map->from > map->fault_offset));
}

/* The earlier mapping may still have been valid, also one that was read at the very offset since which it may have
 * changed. If nothing was mapped before, whatever a scan found was mapped since, but perhaps not at once: something
 * else may have been mapped in between. */
struct said query_before(struct query *query, const struct lists *lists, const struct fact *fact)
{
    struct query before = *query;
    if (query->until > fact->map->read_offset)
        query->until = fact->map->read_offset;
    before.at = fact->from;
    before.below = fact->number;
    return query_find(&before, lists, BACK, ANY);
}

struct said query_recorded(struct query *query, const struct lists *lists, struct said *newer)
{
    struct said said = query_find(query, lists, BACK, ANY);
    *newer = (struct said){0};
    if (!is_seen_later(query, said))
        return said;
    *newer = said;
    return query_before(query, lists, said.fact);
}
