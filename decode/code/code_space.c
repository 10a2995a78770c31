/*
 * The rules by which a linear address yields a physical page.
 *
 * In the guest's own address space the latest record counts: a PAGE record names a page, a MAP record names the pages
 * that were present in its stretch. A page that such a record does not name was not mapped. An execution there shows
 * that it was mapped later without a fetch that faulted (around a read, or by a fork). In that case, and if the space
 * has no record, all candidates are compared: if they have the same bytes, these are the answer, else it is unknown.
 * So a wrong mapping never leads to wrong bytes, and such answers are marked (inferred).
 *
 * Kernels map their half, the addresses with bit 63 set, the same in all spaces: there the newest record of any space
 * counts. In a 32-bit guest it is what lies above all user-mode code. Without any MAP record this holds for all
 * addresses, except that a CPU's own records come before those of other CPUs, which may run another process.
 */
#include "decode/code/code_query.h"

static bool is_foreign(const struct fact *fact)
{
    return fact->page ? fact->page->foreign : fact->map->foreign;
}

/* A mapping of another CPU may be valid already; the time since when is unknown. */
static void add_possible(struct query *query, const struct lists *lists, struct choice *choice)
{
    for (unsigned k = 0; k < NR_LISTS; k++) {
        size_t index = fact_list_after(lists->lists[k], lists->places[k], lists->group, query->at);
        const struct fact *fact;
        for (; (fact = fact_list_at(lists->lists[k], index, lists->places[k], lists->group)); index++) {
            if (query_earliest(fact) > query->at && is_foreign(fact))
                break; /* the following ones are later still, which does not hold for this CPU's own */
            struct said said = query_say(query, fact);
            if (query_earliest(fact) <= query->at && said.present)
                choice_add(query, choice, said.gpa);
        }
    }
}

static bool is_before(const struct fact *a, const struct fact *b)
{
    return a->from != b->from ? a->from < b->from : a->number < b->number;
}

/* The next end of the space, if it matters here. NULL: there is none. */
static const struct fact *next_end(const struct query *query, const struct lists *lists)
{
    const struct fact *end = NULL, *fact;
    for (unsigned k = 1; k < NR_LISTS; k++) {
        size_t index = fact_list_after(lists->lists[k], lists->places[k], lists->group, query->at);
        for (; (fact = fact_list_at(lists->lists[k], index, lists->places[k], lists->group)); index++)
            if (fact->map->ended && query_say(query, fact).fact)
                break;
        end = fact && (!end || is_before(fact, end)) ? fact : end;
    }
    return end;
}

/* The page that this CPU's next record in a list names, before the end. */
static struct said next_named(const struct query *query, const struct lists *lists, unsigned k, const struct fact *end)
{
    size_t index = fact_list_after(lists->lists[k], lists->places[k], lists->group, query->at);
    const struct fact *fact;
    for (; (fact = fact_list_at(lists->lists[k], index, lists->places[k], lists->group)); index++) {
        struct said said = query_say(query, fact);
        if (end && is_before(end, fact))
            break;
        if (!is_foreign(fact) && said.present)
            return said;
    }
    return (struct said){0};
}

/* Add the pages that this CPU's next PAGE and MAP records name, before the space ends. */
static void add_next(struct query *query, const struct lists *lists, struct choice *choice)
{
    const struct fact *end = next_end(query, lists);
    struct said page = next_named(query, lists, 0, end), map = next_named(query, lists, 1, end);
    for (unsigned k = 2; k < NR_LISTS; k++) {
        struct said other = next_named(query, lists, k, end);
        map = other.fact && (!map.fact || is_before(other.fact, map.fact)) ? other : map;
    }
    if (page.present)
        choice_add(query, choice, page.gpa);
    if (map.present)
        choice_add(query, choice, map.gpa);
}

/* Does it name other bytes? */
static bool may_be_other(struct query *query, const struct lists *lists, const struct page_record *page)
{
    struct choice choice = {.now = page};
    add_possible(query, lists, &choice);
    return choice.now_differ;
}

/* May a mapping that was recorded later be used for this moment? Another page may have been mapped first. So other
 * spaces, or the same part of a file elsewhere, must confirm what a scan found. What was read at a fault needs this
 * only if it is the only candidate (all candidates must agree anyway), and not if another CPU read it and it may be
 * valid already. */
static bool later_is_enough(struct query *query, struct said newer, bool only)
{
    const struct code_map *map = newer.fact->map;
    if (!map || (!map->looked_at && (!only || (map->foreign && map->earliest <= query->at))))
        return true;
    return infer_confirms(query, newer.gpa);
}

/* Was the page unmapped between two readings? The reading after the fault of another page did not find it, and the
 * reading before did. Code that is executed in between is in that page, or in the page that the fault mapped instead.
 */
static bool is_going(struct query *query, const struct lists *lists, struct said said)
{
    const struct code_map *map = said.fact ? said.fact->map : NULL;
    return map && !map->ended && !map->foreign && !said.present && query->at < map->read_offset &&
           query_before(query, lists, said.fact).present;
}

/* Infer a page that no record names. newer: a later mapping of the address; going: is_going for the earlier one. */
static const struct page_record *find_unrecorded(struct query *query, const struct lists *lists, struct said newer,
                                                 bool going)
{
    struct choice choice = {0};
    struct said older = query_find(query, lists, BACK, NAMING);
    infer_candidates(query, &choice);
    if (newer.present && !later_is_enough(query, newer, choice_empty(&choice)))
        return NULL;
    if (newer.present)
        choice_add(query, &choice, newer.gpa);
    add_possible(query, lists, &choice);
    add_next(query, lists, &choice);
    /* Otherwise the earlier mapping proves nothing: the space may belong to another program by now. */
    if (older.present && (going || !choice_empty(&choice)))
        choice_add(query, &choice, older.gpa);
    return choice_made(&choice);
}

static const struct page_record *find_in_space(struct query *query, bool *recorded)
{
    const struct lists lists = query_space(query, query->space);
    struct said newer, said = query_recorded(query, &lists, &newer);
    const struct page_record *page = said.present ? query_contents(query, said.gpa) : NULL;
    const struct page_record *later = newer.present ? query_contents(query, newer.gpa) : NULL;
    *recorded = page && page->from <= query->at;
    if (*recorded && later && !query_same(page, later))
        return NULL;
    if (*recorded)
        return may_be_other(query, &lists, page) ? NULL : page;
    if (said.fact && said.fact->map && code_map_is_missed(said.fact->map))
        return NULL;
    const bool going = is_going(query, &lists, said);
    return find_unrecorded(query, &lists, newer.present ? newer : query_find(query, &lists, ON, NAMING), going);
}

/* The kernel's half, which is the same in all spaces: the newest record counts; before the first record, that one. */
static const struct page_record *find_shared(struct query *query, const struct lists *lists)
{
    struct said said = query_find(query, lists, BACK, NAMING);
    if (!said.present)
        said = query_find(query, lists, ON, NAMING);
    return said.present ? query_contents(query, said.gpa) : NULL;
}

static const struct page_record *find_root(struct query *query)
{
    const struct lists lists = query_space(query, CODE_SPACE_ROOT);
    struct said said = query_find(query, &lists, BACK, NAMING);
    if (!said.present)
        said = query_find(query, &lists, ON, NAMING);
    return said.present ? code_memory_at(&query->pages->memory, true, said.gpa, query->at, &query->until) : NULL;
}

/* The hypervisor read no page tables. */
static const struct page_record *find_without_maps(struct query *query)
{
    struct lists lists = query_all(query);
    if (query->gva < query->pages->shared_from) {
        const struct code_facts *facts = &query->pages->facts;
        const struct lists own = query_lists(query, &facts->pages_by_owner, &facts->maps_by_time, 0);
        struct said said = query_find(query, &own, BACK, NAMING);
        if (said.present)
            return query_contents(query, said.gpa);
    }
    return find_shared(query, &lists);
}

/* *recorded: a record names the page. */
static const struct page_record *find(struct query *query, bool *recorded)
{
    const struct lists lists = query_all(query);
    const struct page_record *page;
    struct choice choice = {0};
    *recorded = true;
    if (query->space == CODE_SPACE_ROOT)
        return find_root(query);
    if (query->pages->nr_maps && query->gva < query->pages->shared_from)
        return find_in_space(query, recorded);
    page = query->pages->nr_maps ? find_shared(query, &lists) : find_without_maps(query);
    if (page)
        return page;
    *recorded = false;
    infer_aliases(query, &choice);
    return choice_made(&choice);
}

struct code_found code_pages_find(const struct code_pages *pages, uint64_t space, uint64_t at, uint64_t gva)
{
    struct query query = query_of(pages, space, at, gva);
    struct code_found found = {0};
    bool recorded;
    found.page = find(&query, &recorded);
    found.inferred = found.page && !recorded;
    if (!found.page && space == CODE_SPACE_UNKNOWN)
        found.page = find_root(&query);
    found.until = query.until;
    return found;
}
