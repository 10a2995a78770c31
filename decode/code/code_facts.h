/*
 * What the records of a capture say about linear addresses: a PAGE record names one page at one moment, a MAP record
 * all pages of a stretch. Lists by address find the records of an address without a scan of all records. Pure.
 */
#ifndef DECODE_CODE_FACTS_H
#define DECODE_CODE_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/code/code_map.h"
#include "decode/code/code_mapped.h"
#include "decode/code/code_record.h"

/* What one record says: exactly one of page and map is set. */
struct fact {
    uint64_t place; /* the page's address; for a map, code_facts_place of one of the chunks that its stretch overlaps */
    uint64_t group; /* the second sort key: see struct code_facts */
    uint64_t from, number;
    const struct page_record *page;
    const struct code_map *map;
};

struct fact_list {
    struct fact *items; /* by place, group, from, number */
    size_t count, room;
};

struct code_facts {
    struct fact_list pages_by_space, maps_by_space; /* group: the space */
    struct fact_list pages_by_time, maps_by_time;   /* group: 0. Of guests only */
    struct fact_list pages_by_owner;                /* group: another CPU's. Of guests only */
    struct fact_list maps_of_space;                 /* place: the space; group: 0. Maps with a page, and ends */
    struct code_mapped mapped;
};

/* The records must outlive it. false: no memory. */
bool code_facts_build(struct code_facts *facts, const struct page_record *pages, size_t nr_pages,
                      const struct code_map *maps, size_t nr_maps);
void code_facts_free(struct code_facts *facts);

/* The key of an address in the lists of maps. Maps of one stretch, as the hypervisor reads it, and larger maps, which
 * would cover many stretches, have different keys. */
uint64_t code_facts_place(uint64_t gva, bool large);

/* The key that follows a key of maps. */
uint64_t code_facts_next_place(uint64_t place);

/* The index of the first item whose key is at least place. */
size_t fact_list_first(const struct fact_list *list, uint64_t place);

/* The index of the first item after those of place and group whose from is at most at. */
size_t fact_list_after(const struct fact_list *list, uint64_t place, uint64_t group, uint64_t at);

/* An item of place and group. NULL: there is none at this index. */
const struct fact *fact_list_at(const struct fact_list *list, size_t index, uint64_t place, uint64_t group);

#endif
