/*
 * Where an address leads: the rules.
 *
 * Of the guest's own address space, what was last said counts: a PAGE record names a page, a MAP record names those
 * that were present in its stretch. What such a record does not name was unmapped, or not yet mapped: an execution
 * there shows that it was mapped since, without a fetch that faulted (around a read, or by a fork). Then, and where
 * nothing was said of this space, all that it can be is compared: the same bytes, or it is not known. So a wrong
 * mapping never leads to wrong bytes, and what was found this way is told apart (inferred).
 *
 * Kernels map their half, the addresses with bit 63 set, the same in all spaces: there the newest record of any space
 * counts. Without any MAP record it is so for all addresses, except that a CPU's own records count before others',
 * which may run another process.
 */
#include <string.h>

#include "decode/code/code_pages.h"

/* An address in a space at a trace offset; what is found is so until. */
struct query {
    const struct code_pages *pages;
    uint64_t space, at, gva, chunk;
    uint64_t until;
};

/* What one record says of the address. */
struct said {
    const struct fact *fact; /* NULL: nothing */
    bool present;
    uint64_t gpa;
};

/* Pages that it can be: those that were there already count before those that were sent later. */
struct choice {
    const struct page_record *now, *later;
    bool now_differ, later_differ;
};

static void lower_until(struct query *query, uint64_t from)
{
    if (from > query->at && from < query->until)
        query->until = from;
}

static const struct page_record *contents(struct query *query, uint64_t gpa)
{
    return code_memory_at(&query->pages->memory, false, gpa, query->at, &query->until);
}

static bool same_bytes(const struct page_record *a, const struct page_record *b)
{
    return a == b || a->bytes == b->bytes || !memcmp(a->bytes, b->bytes, RECORD_PAGE_SIZE);
}

static void choose(const struct page_record **chosen, bool *differ, const struct page_record *page)
{
    if (!*chosen)
        *chosen = page;
    else
        *differ = *differ || !same_bytes(*chosen, page);
}

/* Memory that was never executed is none that can have been executed here. */
static void choice_add(struct query *query, struct choice *choice, uint64_t gpa)
{
    const struct page_record *page = contents(query, gpa);
    if (page && page->from <= query->at)
        choose(&choice->now, &choice->now_differ, page);
    else if (page)
        choose(&choice->later, &choice->later_differ, page);
}

static bool choice_empty(const struct choice *choice)
{
    return !choice->now && !choice->later;
}

static const struct page_record *choice_made(const struct choice *choice)
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

static uint64_t earliest(const struct fact *fact)
{
    return fact->page ? fact->page->earliest : fact->map->earliest;
}

/* A stretch can be smaller than a chunk. */
static bool covers(const struct fact *fact, uint64_t gva)
{
    return fact->page || (gva >= fact->map->linear && gva - fact->map->linear < fact->map->size);
}

/* Facts of an address: pages and maps, both ordered by the same. */
struct lists {
    const struct fact_list *lists[2];
    uint64_t places[2], group;
};

static struct lists own_lists(const struct query *query, uint64_t space)
{
    const struct code_facts *facts = &query->pages->facts;
    return (struct lists){{&facts->pages_by_space, &facts->maps_by_space}, {query->gva, query->chunk}, space};
}

static struct lists all_lists(const struct query *query)
{
    const struct code_facts *facts = &query->pages->facts;
    return (struct lists){{&facts->pages_by_time, &facts->maps_by_time}, {query->gva, query->chunk}, 0};
}

enum direction { BACK, ON };
enum wanted { ANY, NAMING };

/* The nearest fact of a list, from index on, that covers the address and, where wanted, names a page for it. */
static struct said nearest(const struct query *query, const struct lists *lists, unsigned k, size_t index,
                           enum direction direction, enum wanted wanted)
{
    const struct fact *fact;
    if (direction == BACK)
        index--;
    for (; (fact = fact_list_at(lists->lists[k], index, lists->places[k], lists->group));
         index += direction == ON ? (size_t)1 : (size_t)-1) {
        if (!covers(fact, query->gva))
            continue;
        struct said said = say(fact, query->gva);
        if (said.present || wanted == ANY)
            return said;
    }
    return (struct said){0};
}

/* The newest that is said at the moment, or the first that is said later. */
static struct said look(struct query *query, const struct lists *lists, enum direction direction, enum wanted wanted)
{
    struct said best = {0};
    for (unsigned k = 0; k < 2; k++) {
        size_t index = fact_list_behind(lists->lists[k], lists->places[k], lists->group, query->at);
        const struct fact *later = fact_list_at(lists->lists[k], index, lists->places[k], lists->group);
        if (later) {
            lower_until(query, later->from);
            lower_until(query, earliest(later));
        }
        struct said said = nearest(query, lists, k, index, direction, wanted);
        bool newer = said.fact && best.fact &&
                     (said.fact->from != best.fact->from ? said.fact->from > best.fact->from
                                                         : said.fact->number > best.fact->number);
        if (said.fact && (!best.fact || newer == (direction == BACK)))
            best = said;
    }
    return best;
}

/* What another CPU said may hold already, and nobody knows since when: does it name other bytes? */
static bool may_be_other(struct query *query, const struct lists *lists, const struct page_record *page)
{
    for (unsigned k = 0; k < 2; k++) {
        size_t index = fact_list_behind(lists->lists[k], lists->places[k], lists->group, query->at);
        const struct fact *fact;
        for (; (fact = fact_list_at(lists->lists[k], index, lists->places[k], lists->group)); index++) {
            if (earliest(fact) > query->at)
                break;
            struct said said = covers(fact, query->gva) ? say(fact, query->gva) : (struct said){0};
            const struct page_record *other = said.present ? contents(query, said.gpa) : NULL;
            if (other && other->from <= query->at && !same_bytes(page, other))
                return true;
        }
    }
    return false;
}

/* What all spaces have here at the moment, as far as it is told. */
static void add_spaces(struct query *query, struct choice *choice)
{
    const struct lists lists = own_lists(query, 0);
    for (unsigned k = 0; k < 2; k++) {
        const struct fact_list *list = lists.lists[k];
        size_t i = fact_list_first(list, lists.places[k]);
        while (i < list->count && list->items[i].place == lists.places[k]) {
            const struct lists theirs = own_lists(query, list->items[i].group);
            struct said said = {0};
            if (theirs.group != CODE_SPACE_ROOT)
                said = look(query, &theirs, BACK, ANY);
            if (said.present)
                choice_add(query, choice, said.gpa);
            i = fact_list_behind(list, lists.places[k], theirs.group, UINT64_MAX);
        }
    }
}

/* What any space ever had here. */
static void add_all_times(struct query *query, struct choice *choice)
{
    const struct lists lists = all_lists(query);
    for (unsigned k = 0; k < 2; k++) {
        const struct fact *fact;
        for (size_t i = fact_list_first(lists.lists[k], lists.places[k]);
             (fact = fact_list_at(lists.lists[k], i, lists.places[k], 0)); i++) {
            struct said said = covers(fact, query->gva) ? say(fact, query->gva) : (struct said){0};
            if (said.present)
                choice_add(query, choice, said.gpa);
        }
    }
}

/* What a large page would have here. */
static void add_aliases(struct query *query, struct choice *choice)
{
    const struct aliases *aliases = &query->pages->aliases;
    /* Without maps the first one is taken on trust, since nothing else is known of spaces. */
    const size_t first = aliases_at(aliases, query->gva);
    const size_t end = query->pages->nr_maps ? aliases->count : first + 1;
    for (size_t i = first; i < end && i < aliases->count && aliases->by_gva[i].gva == query->gva; i++)
        choice_add(query, choice, aliases->by_gva[i].gpa);
}

/* All that it can be, beside what is chosen already. */
static const struct page_record *infer(struct query *query, struct choice *choice)
{
    add_spaces(query, choice);
    if (choice_empty(choice))
        add_all_times(query, choice);
    if (choice_empty(choice))
        add_aliases(query, choice);
    return choice_made(choice);
}

static const struct page_record *find_in_space(struct query *query, bool *told)
{
    const struct lists lists = own_lists(query, query->space);
    struct choice choice = {0};
    struct said said = look(query, &lists, BACK, ANY);
    const struct page_record *page = said.present ? contents(query, said.gpa) : NULL;
    *told = page && page->from <= query->at;
    if (*told)
        return may_be_other(query, &lists, page) ? NULL : page;
    struct said older = look(query, &lists, BACK, NAMING), newer = look(query, &lists, ON, NAMING);
    if (older.present)
        choice_add(query, &choice, older.gpa);
    if (newer.present)
        choice_add(query, &choice, newer.gpa);
    /* It was unmapped, or is mapped for the first time: what came next is what it is. */
    if (said.fact && newer.present && choice.now)
        return choice_made(&choice);
    return infer(query, &choice);
}

/* One mapping for all spaces: the newest counts, and before the first that one. */
static const struct page_record *find_shared(struct query *query, const struct lists *lists)
{
    struct said said = look(query, lists, BACK, NAMING);
    if (!said.present)
        said = look(query, lists, ON, NAMING);
    return said.present ? contents(query, said.gpa) : NULL;
}

static const struct page_record *find_root(struct query *query)
{
    const struct lists lists = own_lists(query, CODE_SPACE_ROOT);
    struct said said = look(query, &lists, BACK, NAMING);
    if (!said.present)
        said = look(query, &lists, ON, NAMING);
    return said.present ? code_memory_at(&query->pages->memory, true, said.gpa, query->at, &query->until) : NULL;
}

/* Nobody looked into page tables. */
static const struct page_record *find_without_maps(struct query *query)
{
    struct lists lists = all_lists(query);
    if (!(query->gva >> 63)) {
        const struct lists own = {{&query->pages->facts.pages_by_owner, lists.lists[1]}, {query->gva, query->chunk}, 0};
        struct said said = look(query, &own, BACK, NAMING);
        if (said.present)
            return contents(query, said.gpa);
    }
    return find_shared(query, &lists);
}

/* told: a record says it. */
static const struct page_record *find(struct query *query, bool *told)
{
    const struct lists lists = all_lists(query);
    const struct page_record *page;
    struct choice choice = {0};
    *told = true;
    if (query->space == CODE_SPACE_ROOT)
        return find_root(query);
    if (query->pages->nr_maps && !(query->gva >> 63))
        return find_in_space(query, told);
    page = query->pages->nr_maps ? find_shared(query, &lists) : find_without_maps(query);
    if (page)
        return page;
    *told = false;
    add_aliases(query, &choice);
    return choice_made(&choice);
}

struct code_found code_pages_find(const struct code_pages *pages, uint64_t space, uint64_t at, uint64_t gva)
{
    struct query query = {pages, space, at, gva, code_facts_chunk(gva), UINT64_MAX};
    struct code_found found = {0};
    bool told;
    found.page = find(&query, &told);
    found.inferred = found.page && !told;
    if (!found.page && space == CODE_SPACE_UNKNOWN)
        found.page = find_root(&query);
    found.until = query.until;
    return found;
}
