/* What code_collect.c and code_collect_maps.c share: the records of a capture that the trace of one CPU needs. Private
 * to decode/code/. */
#ifndef DECODE_CODE_CODE_COLLECT_H
#define DECODE_CODE_CODE_COLLECT_H

#include "decode/code/code_pages.h"
#include "decode/code/code_seen.h"

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
    uint64_t shared_from; /* as of struct code_pages */
};

/* maps: all that MAP records say, and where spaces end, but for what another reading has served. false: *error says
 * what is damaged, or that there is no memory. */
bool collect_maps(struct collection *all, struct error *error);

#endif
