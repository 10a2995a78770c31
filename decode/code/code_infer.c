/*
 * What an address can be of which no record of its space says what it is: it was mapped without a fetch that faulted.
 *
 * Kernels map neighbouring pages of a file when one of them is read. So where pages around it are known, it is what
 * lies next to their memory wherever else that is mapped: the same part of the same file. Where nothing around it is
 * known, it is what other spaces have at this address: a child its parent's tables, and all spaces one kernel. But of a
 * page of user mode two programs at the same address may have different ones: then only what the space shares memory
 * with counts.
 *
 * Memory that was never executed is no candidate: its first execution would have been recorded, with this space and
 * this address.
 */
#include "decode/code/code_query.h"

#define PAGE ((uint64_t)RECORD_PAGE_SIZE)
#define FARTHEST 128u       /* pages: a neighbour */
#define AROUND (2ull << 20) /* maps of the space within this distance show that it is not a child without records */
#define OLDER_FACTS 3u      /* of each space, in each list */
#define COMPARED_MAPS 4u    /* the newest of a space, compared with those of another one */

/* Does a space have memory where the query's has it, too? */
static bool is_related(const struct query *query, uint64_t space)
{
    const struct fact_list *list = &query->pages->facts.maps_of_space;
    size_t i = fact_list_after(list, query->space, 0, query->at);
    const struct fact *fact;
    bool any = false;
    for (unsigned n = 0; n < COMPARED_MAPS && (fact = fact_list_at(list, i - 1 - n, query->space, 0)); n++) {
        if (fact->map->ended) /* what is before it was another space's */
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

/* Can what a space has here be what the query's space has? */
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

/* What a space had here before: tables are used again, and a child of the program that was there may live on. */
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

/* Add what all spaces have here at the moment, as far as records show it. */
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

/* What any other space ever had here. */
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

/* Wherever the neighbour's memory is mapped: what the same record has next to it there. Another one may be older, of a
 * program that was there before. */
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

/* What the query's space has at another address, where that is certain at the moment. */
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

/* The nearest page on a side of which something is known at the moment. false: none is near. */
static bool nearest_neighbour(struct query *query, bool above, uint64_t *neighbour, uint64_t *gpa)
{
    for (uint64_t n = 1; n <= FARTHEST; n++) {
        *neighbour = query->gva + (above ? n : -n) * PAGE;
        if (recorded_there(query, *neighbour, gpa))
            return true;
    }
    return false;
}

/* Were page tables looked at around the query's address, at the moment or before? */
static bool is_looked_at(const struct query *query)
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

/* Is anything known of the pages around? The nearest ones on both sides are looked at. */
static bool add_neighbours(struct query *query, struct choice *choice)
{
    uint64_t neighbour, gpa;
    if (query->space == CODE_SPACE_UNKNOWN || !is_looked_at(query))
        return false;
    for (unsigned side = 0; side < 2; side++)
        if (nearest_neighbour(query, side, &neighbour, &gpa))
            add_beside(query, choice, neighbour, gpa);
    return true;
}

/* Does another space have this page at this address at any time? */
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

/* Pages around the query's address that have records, the nearest first: there are many candidates to compare with,
 * and most pages have no records. */
struct around {
    size_t asked, count;
    struct neighbour {
        uint64_t distance, gpa; /* of the address, modulo 2^64 */
    } pages[2 * FARTHEST];
};

/* The next of them, each asked for once. NULL: there is none. */
static const struct neighbour *look_around(struct around *around, struct query *query, size_t index)
{
    while (around->count <= index && around->asked < 2 * FARTHEST) {
        struct neighbour *page = &around->pages[around->count];
        const uint64_t n = around->asked / 2 + 1;
        page->distance = (around->asked++ % 2 ? n : -n) * PAGE;
        around->count += recorded_there(query, query->gva + page->distance, &page->gpa);
    }
    return index < around->count ? &around->pages[index] : NULL;
}

/* Of the pages that the query's space has around its address: does the other place have one as far away? */
static bool lies_alike(struct query *query, struct around *around, uint64_t space, uint64_t there)
{
    const struct neighbour *page;
    for (size_t i = 0; (page = look_around(around, query, i)); i++)
        if (has_ever(query, space, there + page->distance, page->gpa))
            return true;
    return false;
}

/* It is, where it is mapped elsewhere too, and something around it is the same here and there: parts of one file. What
 * the space itself had elsewhere counts as well: another program had these tables, or another part of this one. */
bool infer_confirms(struct query *query, uint64_t gpa)
{
    struct around around;
    around.asked = around.count = 0;
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

/* What a large page would have here, where no record says anything. */
void infer_aliases(struct query *query, struct choice *choice)
{
    const struct aliases *aliases = &query->pages->aliases;
    const struct fact_list *named = &query->pages->facts.pages_by_time;
    if (fact_list_at(named, fact_list_first(named, query->gva), query->gva, 0))
        return;
    /* Without maps the first one is taken on trust, since nothing else is known of spaces. */
    const size_t first = aliases_at(aliases, query->gva);
    const size_t end = query->pages->nr_maps ? aliases->count : first + 1;
    for (size_t i = first; i < end && i < aliases->count && aliases->by_gva[i].gva == query->gva; i++)
        choice_add(query, choice, aliases->by_gva[i].gpa);
}
