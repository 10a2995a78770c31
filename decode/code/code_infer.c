/*
 * Candidates for the page at an address that no record of its space names: it was mapped without a fetch that faulted.
 *
 * When a page of a file is read, kernels map the neighbouring pages of the file as well. So if a neighbouring page is
 * known, the candidates are the pages next to that page's memory wherever else it is mapped: the same part of the same
 * file. If no neighbour is known, the candidates are the pages that other spaces have at this address, because a child
 * has its parent's page tables, and all spaces have the same kernel. Two programs may have different user-mode pages at
 * one address, though: then only spaces that share memory with this space count.
 *
 * Memory that was never executed is no candidate: its first execution would have been recorded, with this space and
 * this address.
 */
#include "decode/code/code_query.h"

#define PAGE ((uint64_t)RECORD_PAGE_SIZE)
#define FARTHEST 128u       /* the largest distance of a neighbour, in pages */
#define AROUND (2ull << 20) /* a space without maps in this range may be a child with its parent's tables */
#define OLDER_FACTS 3u      /* so many older facts of each space in each list are candidates */
#define COMPARED_MAPS 4u    /* so many of the newest maps of a space are compared with those of another one */

/* Does a space have the same memory as the query's space at an address that the latter mapped recently? */
static bool is_related(const struct query *query, uint64_t space)
{
    const struct fact_list *list = &query->pages->facts.maps_of_space;
    size_t i = fact_list_after(list, query->space, 0, query->at);
    const struct fact *fact;
    bool any = false;
    for (unsigned n = 0; n < COMPARED_MAPS && (fact = fact_list_at(list, i - 1 - n, query->space, 0)); n++) {
        if (fact->map->ended) /* earlier records concern another space */
            break;
        struct query theirs = query_of(query->pages, space, query->at, fact->map->runs[0].linear);
        const struct lists lists = query_space(&theirs, space);
        struct said said = query_find(&theirs, &lists, BACK, ANY);
        if (said.present && said.gpa == fact->map->runs[0].gpa)
            return true;
        any = true;
    }
    return !any;
}

/* Can the query's space have the same page here as this space? */
static bool counts(const struct query *query, uint64_t space)
{
    if (space == CODE_SPACE_ROOT)
        return false;
    if (query->space == CODE_SPACE_UNKNOWN || space == query->space)
        return true;
    const struct lists lists = query_space(query, space);
    const struct fact *fact;
    for (unsigned k = 1; k < NR_LISTS; k++)
        for (size_t i = fact_list_after(lists.lists[k], lists.places[k], space, UINT64_MAX);
             (fact = fact_list_at(lists.lists[k], i - 1, lists.places[k], space)); i--)
            if (code_map_is_user(fact->map, query->gva))
                return is_related(query, space);
    return true;
}

/* Add what a space had here before: page tables are reused, and a child of the former program may still run. */
static void add_older(struct query *query, struct choice *choice, const struct lists *lists)
{
    for (unsigned k = 0; k < NR_LISTS; k++) {
        const size_t after = fact_list_after(lists->lists[k], lists->places[k], lists->group, query->at);
        const struct fact *fact;
        for (size_t n = 1; n <= OLDER_FACTS && n <= after; n++) {
            if (!(fact = fact_list_at(lists->lists[k], after - n, lists->places[k], lists->group)))
                break;
            struct said said = query_say(query, fact);
            if (said.present)
                choice_add(query, choice, said.gpa);
        }
    }
}

/* Add what all spaces have here at the query's offset, as far as records show it. */
static void add_spaces(struct query *query, struct choice *choice)
{
    const struct lists lists = query_space(query, 0);
    for (unsigned k = 0; k < NR_LISTS; k++) {
        const struct fact_list *list = lists.lists[k];
        size_t i = fact_list_first(list, lists.places[k]);
        while (i < list->count && list->items[i].place == lists.places[k]) {
            const struct lists theirs = query_space(query, list->items[i].group);
            struct said said = query_find(query, &theirs, BACK, ANY);
            if (said.present && counts(query, theirs.group)) {
                choice_add(query, choice, said.gpa);
                add_older(query, choice, &theirs);
            }
            i = fact_list_after(list, lists.places[k], theirs.group, UINT64_MAX);
        }
    }
}

/* Add what any other space had here at any time. */
static void add_all_times(struct query *query, struct choice *choice)
{
    const struct lists lists = query_all(query);
    for (unsigned k = 0; k < NR_LISTS; k++) {
        const struct fact *fact;
        for (size_t i = fact_list_first(lists.lists[k], lists.places[k]);
             (fact = fact_list_at(lists.lists[k], i, lists.places[k], 0)); i++) {
            struct said said = query_say(query, fact);
            const uint64_t space = fact->page ? fact->page->space : fact->map->space;
            if (said.present && space != query->space && counts(query, space))
                choice_add(query, choice, said.gpa);
        }
    }
}

/* Add the pages next to the neighbour's memory wherever that is mapped. Both must be in one record: another record may
 * be older, and concern an earlier program. */
static void add_beside(struct query *query, struct choice *choice, uint64_t neighbour, uint64_t gpa)
{
    uint64_t beside, last = UINT64_MAX;
    CODE_MAPPED_EACH(found, &query->pages->facts.mapped, gpa)
    {
        const uint64_t there = found->run->linear + (gpa - found->gpa);
        if (!code_map_find(&beside, found->map, there + (query->gva - neighbour)) || beside == last)
            continue;
        choice_add(query, choice, beside);
        last = beside;
    }
}

/* Find the page that the query's space has at another address, if a record shows it for the query's offset. */
static bool recorded_there(struct query *query, uint64_t gva, uint64_t *gpa)
{
    struct query theirs = query_of(query->pages, query->space, query->at, gva);
    const struct lists lists = query_space(&theirs, theirs.space);
    struct said newer, said = query_recorded(&theirs, &lists, &newer);
    *gpa = said.gpa;
    if (theirs.until < query->until)
        query->until = theirs.until;
    return said.present && (!newer.fact || (newer.present && newer.gpa == said.gpa));
}

/* Find the nearest recorded page below or above the query's address. false: none is near enough. */
static bool nearest_neighbour(struct query *query, bool above, uint64_t *neighbour, uint64_t *gpa)
{
    for (uint64_t n = 1; n <= FARTHEST; n++) {
        *neighbour = query->gva + (above ? n : -n) * PAGE;
        if (recorded_there(query, *neighbour, gpa))
            return true;
    }
    return false;
}

/* Did the hypervisor read page tables around the query's address by then? */
static bool has_maps_around(const struct query *query)
{
    const struct fact_list *maps = &query->pages->facts.maps_by_space;
    const uint64_t first = query->gva & ~(AROUND - 1);
    for (unsigned large = 0; large < 2; large++)
        for (uint64_t place = code_facts_place(first, large); place - first < AROUND;
             place = code_facts_next_place(place))
            if (fact_list_at(maps, fact_list_after(maps, place, query->space, query->at) - 1, place, query->space))
                return true;
    return false;
}

/* Add candidates by the nearest neighbours on both sides. false: nothing is known about the surroundings. */
static bool add_neighbours(struct query *query, struct choice *choice)
{
    uint64_t neighbour, gpa;
    if (query->space == CODE_SPACE_UNKNOWN || !has_maps_around(query))
        return false;
    for (unsigned side = 0; side < 2; side++)
        if (nearest_neighbour(query, side, &neighbour, &gpa))
            add_beside(query, choice, neighbour, gpa);
    return true;
}

/* Did a space have this page at this address at any time? */
static bool has_ever(const struct query *query, uint64_t space, uint64_t gva, uint64_t gpa)
{
    struct query theirs = query_of(query->pages, space, query->at, gva);
    const struct lists lists = query_space(&theirs, space);
    for (unsigned k = 0; k < NR_LISTS; k++) {
        const struct fact *fact;
        size_t i = fact_list_after(lists.lists[k], lists.places[k], lists.group - 1, UINT64_MAX);
        for (; (fact = fact_list_at(lists.lists[k], i, lists.places[k], lists.group)); i++) {
            struct said said = query_say(&theirs, fact);
            if (said.present && said.gpa == gpa)
                return true;
        }
    }
    return false;
}

/* The recorded pages around the query's address, the nearest first. They are kept because they are compared with many
 * candidates, and most addresses have no record. */
struct around {
    size_t tried, count;
    struct neighbour {
        uint64_t distance, gpa; /* distance: its address minus the query's, modulo 2^64 */
    } pages[2 * FARTHEST];
};

/* The recorded page with this index, which is searched for when it is first needed. NULL: there is none. */
static const struct neighbour *page_around(struct around *around, struct query *query, size_t index)
{
    while (around->count <= index && around->tried < 2 * FARTHEST) {
        struct neighbour *page = &around->pages[around->count];
        const uint64_t n = around->tried / 2 + 1;
        page->distance = (around->tried++ % 2 ? n : -n) * PAGE;
        around->count += recorded_there(query, query->gva + page->distance, &page->gpa);
    }
    return index < around->count ? &around->pages[index] : NULL;
}

/* Does a page around the query's address also occur in another space, at the same distance from another address? */
static bool lies_alike(struct query *query, struct around *around, uint64_t space, uint64_t there)
{
    const struct neighbour *page;
    for (size_t i = 0; (page = page_around(around, query, i)); i++)
        if (has_ever(query, space, there + page->distance, page->gpa))
            return true;
    return false;
}

/* The page is confirmed if it is mapped elsewhere too, and another page around it is the same in both places: both are
 * parts of one file. Other addresses of the same space count as well. */
bool infer_confirms(struct query *query, uint64_t gpa)
{
    struct around around;
    around.tried = around.count = 0;
    CODE_MAPPED_EACH(found, &query->pages->facts.mapped, gpa)
    {
        const uint64_t space = found->map->space, there = found->run->linear + (gpa - found->gpa);
        if ((space != query->space || there != query->gva) && lies_alike(query, &around, space, there))
            return true;
    }
    return false;
}

void infer_candidates(struct query *query, struct choice *choice)
{
    if (add_neighbours(query, choice))
        return;
    add_spaces(query, choice);
    if (choice_empty(choice))
        add_all_times(query, choice);
    if (choice_empty(choice))
        infer_aliases(query, choice);
}

/* Add the page that a large page would map here, if no record names the address. */
void infer_aliases(struct query *query, struct choice *choice)
{
    const struct aliases *aliases = &query->pages->aliases;
    const struct fact_list *named = &query->pages->facts.pages_by_time;
    if (fact_list_at(named, fact_list_first(named, query->gva), query->gva, 0))
        return;
    /* Without maps, spaces are not distinguished, and the first one is assumed. */
    const size_t first = aliases_at(aliases, query->gva);
    const size_t end = query->pages->nr_maps ? aliases->count : first + 1;
    for (size_t i = first; i < end && i < aliases->count && aliases->by_gva[i].gva == query->gva; i++)
        choice_add(query, choice, aliases->by_gva[i].gpa);
}
